/** One hash of the four values that identify a last result (decision D28). */
import { concatBytes } from "@noble/hashes/utils.js"
import { fromUtf8, toHex } from "../encoding/bytes.ts"
import { memoized } from "../encoding/memoized.ts"
import type { LastResultKey } from "../protocol/dataRequest.ts"
import { keccak256 } from "../encoding/keccak256.ts"

const hashOf = (key: LastResultKey): string =>
  toHex(
    keccak256(
      concatBytes(
        keccak256(fromUtf8(key.execProgramId)),
        keccak256(key.execInputs),
        keccak256(fromUtf8(key.tallyProgramId)),
        keccak256(key.tallyInputs)
      )
    )
  )

/**
 * 64 lowercase hex characters. Each part is hashed first, so that different keys never have the same input. A feed uses the same key for
 * every run, so it is hashed once per key.
 */
export const lastResultKeyOf: (key: LastResultKey) => string = memoized(hashOf)
