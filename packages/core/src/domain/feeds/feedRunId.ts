/** The id of the run of a feed's tick: the same wherever it runs, so that two owners in a partition charge one tick once (decision D50). */
import { concatBytes } from "@noble/hashes/utils.js"
import { fromUtf8, toBigEndian } from "../encoding/bytes.ts"
import { hashedUuid } from "../encoding/uuid.ts"
import { keccak256 } from "../encoding/keccak256.ts"

/** Keeps these hashes apart from all others over the same bytes. */
const purpose = "sibyl feed run"

/** A UUID of version 8 from the hash of feed, epoch and tick; `epoch` and `tick` are whole numbers, not negative. */
export const feedRunId = (feedKey: string, epoch: number, tick: number): string =>
  hashedUuid(
    keccak256(concatBytes(fromUtf8(purpose), keccak256(fromUtf8(feedKey)), toBigEndian(BigInt(epoch), 8), toBigEndian(BigInt(tick), 8)))
  )
