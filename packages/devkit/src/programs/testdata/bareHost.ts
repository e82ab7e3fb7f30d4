/** A host without meter, limits or network: runs a program against prepared answers, to test its own behaviour. */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { keccak_256 } from "@noble/hashes/sha3.js"

/** A request as a program passes it to the host. */
export interface FetchAction {
  readonly url: string
  readonly options: {
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: ReadonlyArray<number> | null
    readonly timeout_ms: number | null
  }
  readonly public_key?: string | null
}

/** The answer to a request; a text is the reason of a failed request. */
export type CannedAnswer =
  | {
      readonly status: number
      readonly body: string | Uint8Array
      /** Default: JSON's content type alone. */
      readonly headers?: Readonly<Record<string, string>>
    }
  | string

/** One run of a program. */
export interface BareRun {
  readonly phase: "dr" | "tally"
  /** The arguments after the program's name. */
  readonly args: ReadonlyArray<string>
  readonly envs?: Readonly<Record<string, string>>
  /** The time of its clock, epoch milliseconds. */
  readonly clockMs?: number
  readonly answer?: (action: FetchAction) => CannedAnswer
  /** The program's storage, keys and values in hex; without it, storage is refused. Never linked in the tally phase. */
  readonly storage?: Map<string, string>
}

/** How it ended. */
export interface BareOutcome {
  /** Undefined if the program trapped. */
  readonly exitCode: number | undefined
  readonly trap: string | undefined
  readonly result: Uint8Array
  readonly stdout: string
  readonly stderr: string
  readonly actions: ReadonlyArray<FetchAction>
  /** How often each host function was called. */
  readonly calls: Readonly<Record<string, number>>
}

class Exit extends Error {
  readonly code: number
  constructor(code: number) {
    super("exit")
    this.code = code
  }
}

const encoder = new TextEncoder()
const numbers = (bytes: Uint8Array): ReadonlyArray<number> => [...bytes]

/** The promise JSON that hosts give to programs: a response, or the reason of a failure, as lists of bytes. */
const promiseJson = (answer: CannedAnswer, url: string): Uint8Array => {
  const failed = typeof answer === "string"
  const body = failed ? answer : answer.body
  const bytes = typeof body === "string" ? encoder.encode(body) : body
  const response = JSON.stringify({
    bytes: numbers(bytes),
    content_length: failed ? 0 : bytes.length,
    headers: failed ? {} : (answer.headers ?? { "content-type": "application/json" }),
    status: failed ? 0 : answer.status,
    url: failed ? "" : url
  })
  return settled(!failed, response)
}

const settled = (fulfilled: boolean, text: string): Uint8Array =>
  encoder.encode(JSON.stringify({ [fulfilled ? "Fulfilled" : "Rejected"]: numbers(encoder.encode(text)) }))

/** The storage's answer to an action of a program. */
const storageAnswer = (storage: Map<string, string> | undefined, operation: string, action: unknown): Uint8Array => {
  if (storage === undefined) return settled(false, "storage is not enabled")
  const { keys = [], values = {} } = action as { keys?: ReadonlyArray<string>; values?: Record<string, string> }
  for (const [key, value] of Object.entries(values)) storage.set(key, value)
  if (operation === "delete") for (const key of keys) storage.delete(key)
  if (operation !== "read") return settled(true, "")
  const found = keys.map((key) => [key, storage.get(key)] as const)
  const bytes = (value: string | undefined) => (value === undefined ? null : [...Buffer.from(value, "hex")])
  return settled(true, JSON.stringify(Object.fromEntries(found.map(([key, value]) => [key, bytes(value)]))))
}

/** The parameters of `secp256k1_verify`: three addresses with their lengths. */
type Verification = [number, bigint, number, number, number, number]

/** The state of one run and the host functions over it. */
class Host {
  readonly actions: Array<FetchAction> = []
  readonly calls: Record<string, number> = {}
  readonly output: Record<number, Array<number>> = { 1: [], 2: [] }
  result = new Uint8Array()
  memory: WebAssembly.Memory | undefined
  readonly #run: BareRun
  readonly #args: ReadonlyArray<Uint8Array>
  readonly #envs: ReadonlyArray<Uint8Array>
  #pending = new Uint8Array()

  constructor(run: BareRun) {
    this.#run = run
    const strings = (texts: ReadonlyArray<string>) => texts.map((text) => encoder.encode(`${text}\0`))
    this.#args = strings(["_start", ...run.args])
    this.#envs = strings(Object.entries({ VM_MODE: run.phase, ...run.envs }).map(([key, value]) => `${key}=${value}`))
  }

  #bytes(from: number, length: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#view().buffer, from >>> 0, length >>> 0)
  }

  #view(): DataView<ArrayBuffer> {
    if (this.memory === undefined) throw new Error("no memory")
    return new DataView(this.memory.buffer)
  }

  #sizes(strings: ReadonlyArray<Uint8Array>, count: number, bytes: number): number {
    this.#view().setUint32(count, strings.length, true)
    this.#view().setUint32(
      bytes,
      strings.reduce((sum, each) => sum + each.length, 0),
      true
    )
    return 0
  }

  #write(strings: ReadonlyArray<Uint8Array>, pointers: number, to: number): number {
    let at = to
    for (const [index, each] of strings.entries()) {
      this.#view().setUint32(pointers + index * 4, at, true)
      this.#bytes(at, each.length).set(each)
      at += each.length
    }
    return 0
  }

  #fetch(name: string, from: number, length: number): number {
    const action = JSON.parse(new TextDecoder().decode(this.#bytes(from, length))) as FetchAction
    this.actions.push(action)
    const answer = this.#run.phase === "tally" ? `${name} is not allowed in tally` : (this.#run.answer?.(action) ?? "no answer is canned")
    return this.#leave(promiseJson(answer, action.url))
  }

  #leave(pending: Uint8Array): number {
    this.#pending = new Uint8Array(pending)
    return pending.length
  }

  #execOnly(name: string): void {
    if (this.#run.phase === "tally") throw new Error(`Polyfill for function "${name}" is not implemented in tally mode`)
  }

  readonly #oracle = {
    http_fetch: (from: number, length: number) => this.#fetch("http_fetch", from, length),
    proxy_http_fetch: (from: number, length: number) => this.#fetch("proxy_http_fetch", from, length),
    call_result_write: (to: number, length: number) => {
      if (length === 0 || length !== this.#pending.length) throw new Error("call_result_write: wrong length")
      this.#bytes(to, length).set(this.#pending)
      this.#pending = new Uint8Array()
    },
    keccak256: (from: number, length: number) => this.#leave(keccak_256(this.#bytes(from, length))),
    secp256k1_verify: (...[message, messageLength, signature, signatureLength, key, keyLength]: Verification) => {
      const hash = keccak_256(this.#bytes(message, Number(messageLength)))
      const [signed, publicKey] = [this.#bytes(signature, signatureLength), this.#bytes(key, keyLength)]
      return secp256k1.verify(signed, hash, publicKey, { prehash: false }) ? 1 : 0
    },
    execution_result: (from: number, length: number) => {
      this.result = this.#bytes(from, length).slice()
    }
  }

  #storage(operation: string) {
    return (from: number, length: number) => {
      const action = JSON.parse(new TextDecoder().decode(this.#bytes(from, length))) as unknown
      return this.#leave(storageAnswer(this.#run.storage, operation, action))
    }
  }

  readonly #stored = {
    storage_read: this.#storage("read"),
    storage_write: this.#storage("write"),
    storage_delete: this.#storage("delete")
  }

  readonly #wasi = {
    args_sizes_get: (count: number, bytes: number) => this.#sizes(this.#args, count, bytes),
    args_get: (pointers: number, to: number) => this.#write(this.#args, pointers, to),
    environ_sizes_get: (count: number, bytes: number) => this.#sizes(this.#envs, count, bytes),
    environ_get: (pointers: number, to: number) => this.#write(this.#envs, pointers, to),
    fd_write: (fd: number, vectors: number, count: number, written: number) => {
      let total = 0
      for (let at = vectors; at < vectors + count * 8; at += 8) {
        const bytes = this.#bytes(this.#view().getUint32(at, true), this.#view().getUint32(at + 4, true))
        this.output[fd]?.push(...bytes)
        total += bytes.length
      }
      this.#view().setUint32(written, total, true)
      return 0
    },
    clock_time_get: (_clock: number, _precision: bigint, to: number) => {
      this.#execOnly("clock_time_get")
      this.#view().setBigUint64(to, BigInt(this.#run.clockMs ?? 0) * 1_000_000n, true)
      return 0
    },
    random_get: (to: number, length: number) => {
      this.#execOnly("random_get")
      this.#bytes(to, length).fill(4)
      return 0
    },
    proc_exit: (code: number) => {
      throw new Exit(code)
    }
  }

  /** The imports, with call counts. A program with any other import does not link. */
  imports(): WebAssembly.Imports {
    const counted = (functions: Record<string, (...args: Array<never>) => unknown>) =>
      Object.fromEntries(
        Object.entries(functions).map(([name, run]) => [
          name,
          (...args: Array<never>) => {
            this.calls[name] = (this.calls[name] ?? 0) + 1
            return run(...args)
          }
        ])
      )
    const oracle = this.#run.phase === "tally" ? this.#oracle : { ...this.#oracle, ...this.#stored }
    return { seda_v1: counted(oracle), wasi_snapshot_preview1: counted(this.#wasi) }
  }
}

/** Runs a program to its end. */
export const runBare = (module: WebAssembly.Module, run: BareRun): BareOutcome => {
  const host = new Host(run)
  let exitCode: number | undefined = 0
  let trap: string | undefined
  const instance = new WebAssembly.Instance(module, host.imports())
  host.memory = instance.exports["memory"] as WebAssembly.Memory
  try {
    ;(instance.exports["_start"] as () => void)()
  } catch (cause) {
    exitCode = cause instanceof Exit ? cause.code : undefined
    if (exitCode === undefined) trap = String(cause)
  }
  const text = (fd: number) => new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(host.output[fd] ?? []))
  const { result, actions, calls } = host
  return { exitCode, trap, result, stdout: text(1), stderr: text(2), actions, calls }
}
