/** One pass: runs a program from its start over a tape, until it ends or asks for something the tape does not hold. */
import type { Phase } from "@sibyl/core"
import { type ProgramEnvironment, programEnvironment } from "../host/state/environment.ts"
import { GasMeter } from "../host/state/gasMeter.ts"
import { GuestMemory } from "../host/state/guestMemory.ts"
import type { HostState } from "../host/state/hostState.ts"
import { OutputStream } from "../host/state/outputStream.ts"
import { randomBytes } from "../host/state/randomBytes.ts"
import { Divergence, Replay } from "../host/state/replay.ts"
import { Unwind } from "../host/state/unwind.ts"
import { gasPerUnit } from "../meter/survey/prices.ts"
import { type AnsweredCall, isTerminal, type HostCall, type Tape } from "../tape/tape.ts"
import type { CallObserver } from "./callObserver.ts"
import type { EndCause } from "./endCause.ts"
import { terminalEnding, type Ending, withReached } from "./ending.ts"
import { execAdmission, execEnding, execRefused } from "./execEnding.ts"
import { Guest } from "./guest.ts"
import type { GuestCache } from "./guestCache.ts"
import type { PassLimits } from "./passLimits.ts"
import { phaseGasLimit } from "./phaseGasLimit.ts"
import { exactModule, observedModule, type Preparation, type PreparedProgram } from "./prepare.ts"
import { tallyAdmission, tallyEnding, tallyInstanceFault } from "./tallyEnding.ts"
import { runReached } from "./reachedLimits.ts"
import { trapText } from "./trapText.ts"

/** Everything that decides what a pass computes, the program excepted. */
export interface PassInput {
  readonly phase: Phase
  readonly args: ReadonlyArray<string>
  readonly envs: ReadonlyArray<readonly [key: string, value: string]>
  /** In tally the smaller of this and the environment's `DR_TALLY_GAS_LIMIT` holds. */
  readonly gasLimit: bigint
  readonly limits: PassLimits
  readonly tape: Tape
  /** Answers to calls that the program is expected to make after those of the tape, in this order. */
  readonly ahead?: ReadonlyArray<AnsweredCall>
}

/** Which builds a pass may run: the fast one, and the exact one where that cannot tell; or the exact one alone. */
export type Builds = "fast" | "exact"

/** How a pass is carried out; no result depends on it. */
export interface PassOptions {
  /** Default "fast". */
  readonly builds?: Builds
  /** Where instances are taken from; without it each pass makes its own. */
  readonly guests?: GuestCache
  /** Observes each call; if given, only the observed build runs. */
  readonly observer?: CallObserver
}

/** How a pass ended. `usedAhead`: how many of the answers ahead its calls got, if any; they belong on the tape. */
export type PassResult = { readonly usedAhead?: number } & PassEnd

type PassEnd =
  | { readonly kind: "done"; readonly ending: Ending }
  /** The tape must grow by the answer to this call. `gasUsed` is what the pass spent so far. */
  | { readonly kind: "needs"; readonly call: HostCall; readonly gasUsed: bigint }
  /** The engine's stack overflowed: the tape must end with a terminal entry. */
  | { readonly kind: "stackOverflow" }

/** A pass that may start: its environment and its limit were derived from its input. */
interface StartedPass {
  readonly input: PassInput
  readonly environment: ProgramEnvironment
  readonly gasLimit: bigint
}

const hostStateOf = ({ environment, gasLimit, input }: StartedPass, gasPerUnit: bigint): HostState => ({
  phase: input.phase,
  limits: input.limits,
  environment,
  gas: new GasMeter(gasLimit, environment.startupGas, gasPerUnit),
  memory: new GuestMemory(),
  replay: new Replay(input.tape, input.ahead),
  random: randomBytes(input.tape.seed),
  stdout: new OutputStream(input.limits.stdoutBytes),
  stderr: new OutputStream(input.limits.stderrBytes),
  refusedCalls: new Set(),
  pending: new Uint8Array(),
  result: new Uint8Array()
})

const causeOf = (state: HostState, fault: unknown): EndCause | PassEnd => {
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

const causeOfRun = (guest: Guest, state: HostState): EndCause | PassEnd => {
  try {
    guest.run(state)
    return { kind: "returned" }
  } catch (fault) {
    return causeOf(state, fault)
  }
}

/** What only the exact build determines: how much was paid before a trap, and where gas or the stack ran out. */
const asksExactBuild = (result: EndCause | PassEnd): boolean =>
  result.kind === "engineTrap" || result.kind === "outOfGas" || result.kind === "stackOverflow"

/** Runs an instance of one build; `undefined` where the other build has to be asked. */
const runGuest = (guest: Guest | string, gasPerUnit: bigint, started: StartedPass): PassResult | undefined => {
  const { gasLimit, input } = started
  if (typeof guest === "string") {
    const { startupGas } = started.environment
    return {
      kind: "done",
      ending: input.phase === "tally" ? tallyInstanceFault(guest, startupGas) : execRefused(guest, startupGas, gasLimit)
    }
  }
  const state = hostStateOf(started, gasPerUnit)
  const cause = causeOfRun(guest, state)
  if (gasPerUnit !== 1n && asksExactBuild(cause)) return undefined
  const { usedAhead } = state.replay
  const used = usedAhead > 0 ? { usedAhead } : {}
  if (cause.kind === "needs" || cause.kind === "stackOverflow" || cause.kind === "done") return { ...cause, ...used }
  if (state.replay.leftOver > 0) {
    throw new Divergence(`the program ended with ${state.replay.leftOver} entries left on the tape`)
  }
  const ending = input.phase === "tally" ? tallyEnding(cause, state, input.envs, input.limits) : execEnding(cause, state, input.limits)
  return { kind: "done", ending: withReached(ending, runReached(cause, state, input.limits, gasLimit)), ...used }
}

const run = (program: PreparedProgram, started: StartedPass, options: PassOptions): PassResult => {
  const { builds, guests, observer } = options
  if (builds !== "exact" && observer === undefined) {
    const guest = guests?.open(program) ?? Guest.open(program.fast, program.link)
    const result = runGuest(guest, BigInt(gasPerUnit[started.input.phase]), started)
    if (result !== undefined) return result
  }
  const module = observer === undefined ? exactModule(program) : observedModule(program)
  const told = runGuest(Guest.open(module, program.link, observer), 1n, started)
  if (told === undefined) throw new Error("the exact build has no other to ask")
  return told
}

/**
 * Runs one pass. The same program and input give the same result, to the byte and the unit of gas, on every machine;
 * only the size of the engine's stack is not in the input, and its overflow goes onto the tape. An exception out of
 * here is a defect of ours.
 */
export const pass = (preparation: Preparation, input: PassInput, options: PassOptions = {}): PassResult => {
  const { envs, phase, tape } = input
  const gasLimit = phaseGasLimit(phase, envs, input.gasLimit)
  if (typeof gasLimit !== "bigint") return { kind: "done", ending: gasLimit }
  const last = tape.entries.at(-1)
  if (last !== undefined && isTerminal(last)) return { kind: "done", ending: terminalEnding(phase, last, gasLimit) }
  const environment = programEnvironment(phase, input.args, envs)
  const admission =
    phase === "tally" ? tallyAdmission(preparation, envs, environment, gasLimit) : execAdmission(preparation, environment, gasLimit)
  return admission.admitted ? run(admission.program, { input, environment, gasLimit }, options) : { kind: "done", ending: admission.ending }
}
