/** What a shared feed is: everything that determines its runs and what its subscribers are sent. Equal definitions have equal keys. */
import type { ExecuteOptions } from "../../contract/executeParams.ts"
import { fromHex, fromUtf8, toHex } from "../encoding/bytes.ts"
import { hashedUuid } from "../encoding/uuid.ts"
import type { LastResultKey } from "../protocol/dataRequest.ts"
import { lastResultKeyOf } from "../reports/lastResultKey.ts"
import type { FeedMode } from "../runs/feedSchedule.ts"
import { keccak256 } from "../encoding/keccak256.ts"

/** A feed of a project. A program is named as its client named it, because answers show the name. */
export interface FeedDefinition {
  readonly projectId: string
  /** The ticket whose budget pays for the runs, if one does: nobody else shares them. */
  readonly budgetOf?: string | undefined
  readonly mode: FeedMode
  readonly periodMs: number
  readonly key: LastResultKey
  /** The parameters of each run. What has no effect on a run or on its answer (`inputEncoding`, `dryRun`) is not looked at. */
  readonly options: ExecuteOptions
}

/** The options with their defaults, so that a parameter that says what goes without saying makes no difference. */
const effectiveOptions = (options: ExecuteOptions): ReadonlyArray<boolean | number | string | null> => [
  options.injectLastResult ?? "none",
  options.returnLastResult ?? false,
  // Without the flag an age is not looked at.
  options.returnLastResult === true ? (options.returnLastResultMaxAge ?? null) : null,
  options.noPrefetch ?? false,
  options.includeSummary ?? false,
  options.includeDebugInfo ?? false,
  options.encoding ?? "hex"
]

/**
 * The key of a feed: 64 lowercase hex characters, the same on every server. Two definitions have the same key if and only if they are
 * equal; the project is part of it, so that no two projects ever share a feed.
 */
export const feedKeyOf = ({ budgetOf, key, mode, options, periodMs, projectId }: FeedDefinition): string =>
  toHex(
    keccak256(
      fromUtf8(
        JSON.stringify([
          "shared feed",
          projectId,
          mode,
          periodMs,
          lastResultKeyOf(key),
          ...effectiveOptions(options),
          // Only if it is set: feeds from before this flag keep their ids.
          ...(options.includeRecording === true ? ["includeRecording"] : []),
          ...(budgetOf === undefined ? [] : [budgetOf])
        ])
      )
    )
  )

const bytesOf = (feedKey: string): Uint8Array => fromHex(feedKey) ?? new Uint8Array(32)

/** The id of the feed that its subscribers see, a UUID (version 8). All of them see the same, so that they can be sent the same bytes. */
export const feedIdOf = (feedKey: string): string => hashedUuid(bytesOf(feedKey))

/** Where the feed's grid lies: milliseconds, at least 0 and below the period. Feeds with one period are spread over it. */
export const feedPhaseMs = (feedKey: string, periodMs: number): number => {
  const bytes = bytesOf(feedKey)
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(16) % periodMs
}
