/** Which limits a phase has reached, whether they ended it, cut its output or rejected a call of it. */
import type { Phase, ReachedLimit } from "@sibyl/core"
import type { LimitName } from "@sibyl/core/internal"
import type { HostState } from "../host/state/hostState.ts"
import type { TerminalEntry } from "../tape/tape.ts"
import type { EndCause } from "./endCause.ts"
import type { PassLimits } from "./passLimits.ts"

const reached = (limit: LimitName, allowed: bigint | number | null): ReachedLimit => ({
  limit,
  allowed: allowed === null ? null : String(allowed)
})

/** The phase's limit of gas. */
export const gasReached = (phase: Phase, gasLimit: bigint): ReachedLimit =>
  reached(phase === "exec" ? "execGasLimit" : "tallyGasLimit", gasLimit)

/** The memory that a program may have. */
export const pagesReached = (memoryPages: number): ReachedLimit => reached("memoryPages", memoryPages)

/** The bounds of modules; the reason names the part. */
export const moduleReached: ReachedLimit = reached("module", null)

/** A result of more bytes than this. */
export const resultReached = (maxBytes: number): ReachedLimit => reached("resultBytes", maxBytes)

/** What a terminal entry stands for. */
export const terminalReached = (phase: Phase, entry: TerminalEntry): ReadonlyArray<ReachedLimit> => {
  switch (entry.kind) {
    case "deadline":
      return [reached(phase === "exec" ? "execWallClockMs" : "tallyWallClockMs", entry.limitMs)]
    case "stackOverflow":
      return [reached("stack", null)]
    case "workerLost":
      return entry.loss.why === "memory" ? [reached("workerMemoryMib", entry.loss.limitMib)] : []
  }
}

/** Those of a program that ran, but for its result: first what ended it. */
export const runReached = (
  cause: EndCause,
  { phase, refusedCalls, stderr, stdout }: HostState,
  limits: PassLimits,
  gasLimit: bigint
): ReadonlyArray<ReachedLimit> => [
  ...(cause.kind === "outOfGas" || cause.kind === "unpaidCall" ? [gasReached(phase, gasLimit)] : []),
  ...(stdout.isCut ? [reached("stdoutBytes", limits.stdoutBytes)] : []),
  ...(stderr.isCut ? [reached("stderrBytes", limits.stderrBytes)] : []),
  ...Array.from(refusedCalls, (name) => reached(name, limits[name]))
]
