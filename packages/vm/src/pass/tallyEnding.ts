/** How the tally phase starts and reports its ending, as its reference VM does (decision D25). */
import type { Limits } from "@sibyl/core"
import type { HostState } from "../host/state/hostState.ts"
import type { OutputStream } from "../host/state/outputStream.ts"
import { type EndCause, ranOutOfGas, reasonOf } from "./endCause.ts"
import { withheld, withoutOutput, withReached, type Admission, type Ending } from "./ending.ts"
import type { ProgramEnvironment } from "../host/state/environment.ts"
import type { LinkFacts } from "./link.ts"
import type { Preparation, PreparedProgram } from "./prepare.ts"
import { gasReached, moduleReached, pagesReached, resultReached } from "./reachedLimits.ts"

/** The VM itself drops longer results, whatever its caller allows. */
const mostResultBytes = 96_000

const refused = (exitCode: number, exitMessage: string, gasUsed: bigint): Ending =>
  withoutOutput(exitCode, exitMessage, gasUsed, gasUsed, [])

const linkFault = (link: LinkFacts): string | undefined =>
  link.importFault ?? link.memoryFault ?? (link.startSection ? "a start function cannot be paid for" : undefined)

/** The ending if no instance could be made; `fault` is the engine's text or ours. */
export const tallyInstanceFault = (fault: string, gasUsed: bigint): Ending =>
  refused(4, `Error: Failed to create WASMER instance: ${fault}`, gasUsed)

const refusalOf = (
  { link, source }: PreparedProgram,
  envs: ReadonlyArray<readonly [key: string, value: string]>,
  startupGas: bigint,
  gasLimit: bigint
): Ending | undefined => {
  if (startupGas > gasLimit) {
    const text = "Error: Gas startup cost is too expensive. Args might be too large."
    return withReached(refused(14, text, gasLimit), [gasReached("tally", gasLimit)])
  }
  if (envs.some(([key]) => /[=\0]/.test(key))) return refused(2, "Error: Failed to initialize Wasi Env", 0n)
  if (!link.wasi) return refused(3, "Error: Failed to create host imports for VM", 0n)
  const fault = linkFault(link)
  if (fault !== undefined) {
    return withReached(tallyInstanceFault(fault, startupGas), fault === link.memoryFault ? [pagesReached(source.memoryPages)] : [])
  }
  if (!link.memory) return refused(10, "Error: Failed to get memory export from WASM", startupGas)
  if (link.entry === undefined) return refused(5, "Error: Failed to find specified function in WASM binary", startupGas)
  // The reference has no message for it; clients get a reason anyway.
  return link.entry.length > 0 ? { ...refused(252, "Not ok", startupGas), reason: "_start takes parameters" } : undefined
}

/** Whether a program may start; the checks are in the reference's order. */
export const tallyAdmission = (
  preparation: Preparation,
  envs: ReadonlyArray<readonly [key: string, value: string]>,
  { startupGas }: ProgramEnvironment,
  gasLimit: bigint
): Admission => {
  if (!preparation.accepted) {
    const { kind, message } = preparation.refusal
    const ending = refused(251, `VM Error: Runtime error: ${message}`, 0n)
    return { admitted: false, ending: withReached(ending, kind === "bound" ? [moduleReached] : []) }
  }
  const ending = refusalOf(preparation.value, envs, startupGas, gasLimit)
  return ending === undefined ? { admitted: true, program: preparation.value } : { admitted: false, ending }
}

const exitCodeOf = (cause: EndCause): number => {
  switch (cause.kind) {
    case "returned":
      return 0
    case "exit":
      return cause.code
    case "outOfGas":
      return 250
    default:
      return 252
  }
}

/** Traps of the engine have no message. */
const messagesOf = (cause: EndCause): ReadonlyArray<string> => {
  switch (cause.kind) {
    case "outOfGas":
      return [ranOutOfGas]
    case "unpaidCall":
      return ["Runtime error: Out of gas"]
    case "hostTrap":
      return [`Runtime error: ${cause.text}`]
    default:
      return []
  }
}

/** The stream as a list of at most one text, undefined if it is not UTF-8 after the cut. */
const textOf = (stream: OutputStream): ReadonlyArray<string> | undefined => {
  if (!stream.used) return []
  try {
    return [new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(stream.bytes())]
  } catch {
    return undefined
  }
}

/** Texts are returned as C strings. */
const asCStrings = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  texts.map((text) => (text.includes("\0") ? "Invalid string" : text))

const isTally = (envs: ReadonlyArray<readonly [key: string, value: string]>): boolean =>
  envs.findLast(([key]) => key === "VM_MODE")?.[1] === "tally"

/** Reports the ending of a program that ran. */
export const tallyEnding = (
  cause: EndCause,
  state: HostState,
  envs: ReadonlyArray<readonly [key: string, value: string]>,
  limits: Pick<Limits, "resultBytes">
): Ending => {
  const gasUsed = state.gas.used
  if (state.result.length > mostResultBytes) {
    return withReached(refused(13, "Error: Execution result size exceeds maximum allowed size", gasUsed), [resultReached(mostResultBytes)])
  }
  const unreadable = (pipe: string): string => `Error: Failed to convert VM pipe \`${pipe}\` output to String`
  const stdout = textOf(state.stdout)
  if (stdout === undefined) return refused(8, unreadable("stdout"), gasUsed)
  const stderr = textOf(state.stderr)
  if (stderr === undefined) return { ...refused(8, unreadable("stderr"), gasUsed), stdout: asCStrings(stdout) }
  const exitCode = exitCodeOf(cause)
  const ending: Ending = {
    exitCode,
    exitMessage: exitCode === 0 ? "Ok" : "Not ok",
    gasUsed,
    gasCharged: gasUsed,
    result: state.result,
    resultLength: state.result.length,
    stdout: asCStrings(stdout),
    stderr: asCStrings([...messagesOf(cause), ...stderr]),
    reason: reasonOf(cause)
  }
  return state.result.length > limits.resultBytes && isTally(envs) ? withheld(ending, limits.resultBytes) : ending
}
