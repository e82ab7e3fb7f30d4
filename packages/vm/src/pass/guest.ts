/** An instance of a program, and the host that its calls reach at the moment. */
import { valueType, type ValueType } from "../binary/valueType.ts"
import { hostFunctions } from "../host/hostFunctions.ts"
import type { GasGlobal } from "../host/state/gasMeter.ts"
import type { HostCallable, HostFunction } from "../host/state/hostFunction.ts"
import type { HostState } from "../host/state/hostState.ts"
import { requireStackRoom } from "../host/state/stackRoom.ts"
import { meteredNames } from "../meter/build.ts"
import type { CallObserver } from "./callObserver.ts"
import type { LinkFacts } from "./link.ts"
import { MemoryImage } from "./memoryImage.ts"

interface GuestExports {
  readonly [meteredNames.gas]: GasGlobal
  readonly [meteredNames.memory]?: { readonly buffer: ArrayBufferLike }
  readonly [meteredNames.entry]: (...values: ReadonlyArray<number | bigint | null>) => unknown
  readonly [meteredNames.reset]?: () => void
}

/** The execution phase tolerates an entry function with parameters: it gets zeros. */
const zeroOf = (type: ValueType): number | bigint | null =>
  type === valueType.i64 ? 0n : type === valueType.funcref || type === valueType.externref ? null : 0

const providerOf = (host: string): HostFunction => {
  const provider = hostFunctions.find(({ name }) => name === host)
  if (provider === undefined) throw new Error(`no host function ${host}`)
  return provider
}

/** One instance. Passes use it one after another, each with a host of its own. */
export class Guest {
  readonly #providers: ReadonlyArray<HostFunction>
  readonly #exports: GuestExports
  readonly #arguments: ReadonlyArray<number | bigint | null>
  #state: HostState | undefined
  #calls: ReadonlyArray<HostCallable> = []
  #image: MemoryImage | undefined

  private constructor(module: WebAssembly.Module, link: LinkFacts, observer: CallObserver | undefined) {
    this.#providers = link.imports.map(({ host }) => providerOf(host))
    this.#arguments = (link.entry ?? []).map(zeroOf)
    this.#exports = new WebAssembly.Instance(module, this.#imports(link, observer)).exports as unknown as GuestExports
  }

  /** A fresh instance, or the text of what does not fit: segments outside of memory or tables. An observed build has an observer. */
  static open(module: WebAssembly.Module, link: LinkFacts, observer?: CallObserver): Guest | string {
    try {
      return new Guest(module, link, observer)
    } catch (fault) {
      if (fault instanceof WebAssembly.RuntimeError || fault instanceof WebAssembly.LinkError) {
        return "a data or element segment does not fit"
      }
      throw fault
    }
  }

  #imports(link: LinkFacts, observer: CallObserver | undefined): WebAssembly.Imports {
    const refill = (): void => this.#state?.gas.refill()
    const own: Record<string, WebAssembly.ImportValue> = { [meteredNames.refill]: refill }
    if (observer !== undefined) {
      own[meteredNames.enter] = (index: number, units: bigint) => observer.enter(index, this.#state?.gas.usedAt(units) ?? 0n)
      own[meteredNames.leave] = (units: bigint) => observer.leave(this.#state?.gas.usedAt(units) ?? 0n)
    }
    const imports: Record<string, Record<string, WebAssembly.ImportValue>> = { [meteredNames.module]: own }
    for (const [at, { module, name }] of link.imports.entries()) {
      const namespace = (imports[module] ??= {})
      namespace[name] = (...values: Array<never>) => {
        requireStackRoom()
        // The fast build looks at its gas only in loops and calls: what it owed until here may be more than it had.
        refill()
        return this.#calls[at]?.(...values)
      }
    }
    return imports
  }

  /** Remembers its first state: to be called before anything runs. */
  remember(): void {
    this.#image = new MemoryImage(this.#exports[meteredNames.memory]?.buffer ?? new ArrayBuffer(0))
  }

  /** What it takes beside its code, bytes; only where its first state is remembered. */
  get size(): number {
    return this.#image?.size ?? 0
  }

  /** Puts back its first state. False where that cannot be done any more. */
  restore(): boolean {
    if (this.#image?.restore(this.#exports[meteredNames.memory]?.buffer ?? new ArrayBuffer(0)) !== true) return false
    this.#exports[meteredNames.reset]?.()
    return true
  }

  /** Runs the program from its start on this host, until it returns or an exception ends it. */
  run(state: HostState): void {
    this.#state = state
    this.#calls = this.#providers.map((provider) => provider.bind(state))
    state.memory.attach(this.#exports[meteredNames.memory])
    state.gas.start(this.#exports[meteredNames.gas])
    try {
      this.#exports[meteredNames.entry](...this.#arguments)
      state.gas.refill()
    } finally {
      this.#state = undefined
      this.#calls = []
    }
  }
}
