/** One pass: runs a program from its start over a tape, until it ends or asks for something the tape does not hold. */
import type { Limits, Phase } from "@sibyl/core"
import { valueType, type ValueType } from "../binary/valueType.ts"
import type { CallLimits } from "../host/state/callRefusal.ts"
import { GasMeter, type GasGlobal } from "../host/state/gasMeter.ts"
import { GuestMemory } from "../host/state/guestMemory.ts"
import { hostFunctions } from "../host/hostFunctions.ts"
import type { HostState } from "../host/state/hostState.ts"
import { OutputStream } from "../host/state/outputStream.ts"
import { randomBytes } from "../host/state/randomBytes.ts"
import { Divergence, Replay } from "../host/state/replay.ts"
import { requireStackRoom } from "../host/state/stackRoom.ts"
import { Unwind } from "../host/state/unwind.ts"
import { meteredNames } from "../meter/build.ts"
import { gasPerUnit } from "../meter/prices.ts"
import { terminalEnding, type EndCause, type Ending } from "./ending.ts"
import { programEnvironment } from "../host/state/environment.ts"
import { execAdmission, execEnding, execRefused } from "./execEnding.ts"
import type { LinkFacts } from "./link.ts"
import { exactModule, type Preparation, type PreparedProgram } from "./prepare.ts"
import { phaseGasLimit } from "./phaseGasLimit.ts"
import { isTerminal, type HostCall, type Tape } from "../tape/tape.ts"
import { tallyAdmission, tallyEnding, tallyInstanceFault } from "./tallyEnding.ts"
import { trapText } from "./trapText.ts"

/** The limits that a pass enforces itself. */
export type PassLimits = CallLimits & Pick<Limits, "stdoutBytes" | "stderrBytes" | "resultBytes">

/** Everything that decides what a pass computes, the program excepted. */
export interface PassInput {
  readonly phase: Phase
  readonly args: ReadonlyArray<string>
  readonly envs: ReadonlyArray<readonly [key: string, value: string]>
  /** In tally the smaller of this and the environment's `DR_TALLY_GAS_LIMIT` holds. */
  readonly gasLimit: bigint
  readonly limits: PassLimits
  readonly tape: Tape
}

/** Which builds a pass may run: the fast one, and the exact one where that cannot tell; or the exact one alone. */
export type Builds = "fast" | "exact"

/** How a pass ended. */
export type PassResult =
  | { readonly kind: "done"; readonly ending: Ending }
  /** The tape must grow by the answer to this call. `gasUsed` is what the pass spent so far. */
  | { readonly kind: "needs"; readonly call: HostCall; readonly gasUsed: bigint }
  /** The engine's stack overflowed: the tape must end with a terminal entry. */
  | { readonly kind: "stackOverflow" }

interface GuestExports {
  readonly [meteredNames.gas]: GasGlobal
  readonly [meteredNames.memory]?: { readonly buffer: ArrayBufferLike }
  readonly [meteredNames.entry]: (...values: ReadonlyArray<number | bigint | null>) => unknown
}

const hostStateOf = (input: PassInput, gasLimit: bigint, gasPerUnit: bigint): HostState => {
  const environment = programEnvironment(input.phase, input.args, input.envs)
  return {
    phase: input.phase,
    limits: input.limits,
    environment,
    gas: new GasMeter(gasLimit, environment.startupGas, gasPerUnit),
    memory: new GuestMemory(),
    replay: new Replay(input.tape),
    random: randomBytes(input.tape.seed),
    stdout: new OutputStream(input.limits.stdoutBytes),
    stderr: new OutputStream(input.limits.stderrBytes),
    pending: new Uint8Array(),
    result: new Uint8Array()
  }
}

const importsOf = (state: HostState, link: LinkFacts): WebAssembly.Imports => {
  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {
    [meteredNames.module]: { [meteredNames.refill]: state.gas.refill }
  }
  for (const { host, module, name } of link.imports) {
    const provider = hostFunctions.find((candidate) => candidate.name === host)
    if (provider === undefined) throw new Error(`no host function ${host}`)
    const namespace = (imports[module] ??= {})
    const run = provider.bind(state)
    namespace[name] = (...values: Array<never>) => {
      requireStackRoom()
      // The fast build looks at its gas only in loops and calls: what it owed until here may be more than it had.
      state.gas.refill()
      return run(...values)
    }
  }
  return imports
}

/** The instance's exports, or the text of what does not fit: segments outside of memory or tables. */
const instantiate = (module: WebAssembly.Module, link: LinkFacts, state: HostState): GuestExports | string => {
  try {
    const instance = new WebAssembly.Instance(module, importsOf(state, link))
    return instance.exports as unknown as GuestExports
  } catch (fault) {
    if (fault instanceof WebAssembly.RuntimeError || fault instanceof WebAssembly.LinkError) {
      return "a data or element segment does not fit"
    }
    throw fault
  }
}

/** The execution phase tolerates an entry function with parameters: it gets zeros. */
const zeroOf = (type: ValueType): number | bigint | null =>
  type === valueType.i64 ? 0n : type === valueType.funcref || type === valueType.externref ? null : 0

const causeOf = (state: HostState, fault: unknown): EndCause | PassResult => {
  if (fault instanceof Unwind) {
    const { reason } = fault
    switch (reason.kind) {
      case "needs":
        return { kind: "needs", call: reason.call, gasUsed: state.gas.used }
      case "trap":
        return { kind: "hostTrap", text: reason.text }
      default:
        return reason
    }
  }
  if (fault instanceof WebAssembly.RuntimeError) return { kind: "engineTrap", text: trapText(fault.message) }
  if (fault instanceof RangeError && /call stack/i.test(fault.message)) return { kind: "stackOverflow" }
  throw fault
}

const runEntry = (exports: GuestExports, link: LinkFacts, state: HostState): EndCause | PassResult => {
  try {
    exports[meteredNames.entry](...(link.entry ?? []).map(zeroOf))
    state.gas.refill()
    return { kind: "returned" }
  } catch (fault) {
    return causeOf(state, fault)
  }
}

/** What only the exact build can tell: how much was paid before a trap, and where gas or the stack ran out. */
const asksExactBuild = (result: EndCause | PassResult): boolean =>
  result.kind === "engineTrap" || result.kind === "outOfGas" || result.kind === "stackOverflow"

/** Runs one build of a program; `undefined` where the other one has to be asked. */
const runBuild = (
  build: { readonly module: WebAssembly.Module; readonly gasPerUnit: bigint },
  link: LinkFacts,
  input: PassInput,
  gasLimit: bigint
): PassResult | undefined => {
  const state = hostStateOf(input, gasLimit, build.gasPerUnit)
  const exports = instantiate(build.module, link, state)
  if (typeof exports === "string") {
    const { startupGas } = state.environment
    const ending = input.phase === "tally" ? tallyInstanceFault(exports, startupGas) : execRefused(exports, startupGas, gasLimit)
    return { kind: "done", ending }
  }
  state.memory.attach(exports[meteredNames.memory])
  state.gas.start(exports[meteredNames.gas])
  const cause = runEntry(exports, link, state)
  if (build.gasPerUnit !== 1n && asksExactBuild(cause)) return undefined
  if (cause.kind === "needs" || cause.kind === "stackOverflow" || cause.kind === "done") return cause
  if (state.replay.leftOver > 0) {
    throw new Divergence(`the program ended with ${state.replay.leftOver} entries left on the tape`)
  }
  const ending = input.phase === "tally" ? tallyEnding(cause, state, input.envs, input.limits) : execEnding(cause, state, input.limits)
  return { kind: "done", ending }
}

const run = (program: PreparedProgram, input: PassInput, gasLimit: bigint, builds: Builds): PassResult => {
  const { fast, link } = program
  const fastBuild = { module: fast, gasPerUnit: BigInt(gasPerUnit[input.phase]) }
  const result = builds === "exact" ? undefined : runBuild(fastBuild, link, input, gasLimit)
  const told = result ?? runBuild({ module: exactModule(program), gasPerUnit: 1n }, link, input, gasLimit)
  if (told === undefined) throw new Error("the exact build has no other to ask")
  return told
}

/**
 * Runs one pass. The same program and input give the same result, to the byte and the unit of gas, on every machine;
 * only the size of the engine's stack is not in the input, and its overflow goes onto the tape. An exception out of
 * here is a defect of ours.
 */
export const pass = (preparation: Preparation, input: PassInput, builds: Builds = "fast"): PassResult => {
  const { envs, phase, tape } = input
  const gasLimit = phaseGasLimit(phase, envs, input.gasLimit)
  if (typeof gasLimit !== "bigint") return { kind: "done", ending: gasLimit }
  const last = tape.entries.at(-1)
  if (last !== undefined && isTerminal(last)) return { kind: "done", ending: terminalEnding(phase, last, gasLimit) }
  const environment = programEnvironment(phase, input.args, envs)
  const admission =
    phase === "tally" ? tallyAdmission(preparation, envs, environment, gasLimit) : execAdmission(preparation, environment, gasLimit)
  return admission.admitted ? run(admission.program, input, gasLimit, builds) : { kind: "done", ending: admission.ending }
}
