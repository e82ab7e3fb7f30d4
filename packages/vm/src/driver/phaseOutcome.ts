/** The outcome of an ended phase in the form of the port. */
import type { PhaseOutcome, PhaseRequest } from "@sibyl/core"
import type { Ending } from "../pass/ending.ts"
import { hostCallsOf } from "../tape/hostCalls.ts"
import { proxyUsesOf } from "../tape/proxyUses.ts"
import type { PrefetchedPhase } from "./prefetching.ts"
import { recordedTapeOf } from "../tape/tapeText.ts"
import { changesIn } from "./runStorage.ts"

/** What an ending alone says. Lists become texts as the chain joins them: one entry to a line. */
export const outcomeOfEnding = (ending: Ending): PhaseOutcome => ({
  exitCode: ending.exitCode,
  exitMessage: ending.exitMessage,
  gasUsed: ending.gasUsed,
  gasCharged: ending.gasCharged,
  ...(ending.workerMs === undefined ? {} : { workerMs: ending.workerMs }),
  result: ending.result ?? new Uint8Array(),
  stdout: ending.stdout.join("\n"),
  stderr: ending.stderr.join("\n"),
  proxies: [],
  ...(ending.reason === undefined ? {} : { reason: ending.reason }),
  ...(ending.limits === undefined ? {} : { limits: ending.limits })
})

/** The outcome with what the phase asked for, what it owes to data proxies, its writes and its prefetching; and its tape, if it is recorded. */
export const phaseOutcomeOf = (
  { driven: { ending, storage: run, tape }, prefetch }: PrefetchedPhase,
  { isRecorded = false, limits }: Pick<PhaseRequest, "isRecorded" | "limits">
): PhaseOutcome => {
  const storage = changesIn(run)
  const hostCalls = hostCallsOf(tape)
  return {
    ...outcomeOfEnding(ending),
    proxies: proxyUsesOf(tape),
    ...(storage.length === 0 ? {} : { storage }),
    ...(prefetch === undefined ? {} : { prefetch }),
    ...(hostCalls.length === 0 ? {} : { hostCalls }),
    ...(isRecorded ? { tape: recordedTapeOf(tape, limits.recordingBytes) } : {})
  }
}
