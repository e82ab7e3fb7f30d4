/** Durable feeds as REST shows them. */
import { isoOf } from "../../domain/encoding/isoText.ts"
import { type Members, RawJson } from "../../domain/encoding/responseJson.ts"
import type { DurableFeed, FeedEntry, FeedProgress } from "../../domain/feeds/durableFeed.ts"

/** The definition: what was asked for. */
export const definitionView = ({ createdAtMs, execute, feedId, mode, periodMs }: DurableFeed): Members => ({
  feedId,
  execute: new RawJson(execute),
  mode,
  periodicityMs: periodMs,
  createdAt: isoOf(createdAtMs)
})

const tagOf = (failure: string): string => (JSON.parse(failure) as { readonly _tag: string })._tag

/** When the next run is due, as far as it can be told: not while one runs whose end decides it. */
const nextTickAt = ({ mode, periodMs }: DurableFeed, last: FeedEntry | undefined, epoch: number | undefined): number | undefined => {
  if (epoch === undefined) return undefined
  if (last?.epoch !== epoch) return epoch
  if (mode !== "SEQUENTIAL") return epoch + (last.tick + 1) * periodMs
  return last.endedAtMs === null ? undefined : last.endedAtMs + periodMs
}

/** The feed and how it goes. */
export const feedView = (definition: DurableFeed, progress: FeedProgress): Members => {
  const { epoch, last, lastFailure, lastResult, leaseUntilMs, nowMs } = progress
  const nextMs = nextTickAt(definition, last, epoch)
  return {
    ...definitionView(definition),
    hasOwner: leaseUntilMs !== undefined && nowMs < leaseUntilMs,
    epoch: epoch ?? null,
    lastSeq: last !== undefined && last.epoch === epoch ? last.seq : null,
    lastResultAt: lastResult === undefined || lastResult.endedAtMs === null ? null : isoOf(lastResult.endedAtMs),
    lastFailure:
      lastFailure === undefined || lastFailure.failure === null
        ? null
        : {
            _tag: tagOf(lastFailure.failure),
            epoch: lastFailure.epoch,
            seq: lastFailure.seq,
            at: isoOf(lastFailure.endedAtMs ?? lastFailure.startedAtMs)
          },
    nextTickAt: nextMs === undefined ? null : isoOf(nextMs)
  }
}
