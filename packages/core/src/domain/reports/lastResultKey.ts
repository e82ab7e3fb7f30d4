/** One hash of the four values that identify a last result (decision D28). */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { concatBytes } from "@noble/hashes/utils.js"
import { fromUtf8, toHex } from "../encoding/bytes.ts"
import { memoized } from "../encoding/memoized.ts"
import type { LastResultKey } from "../protocol/dataRequest.ts"

const hashOf = (key: LastResultKey): string =>
  toHex(
    keccak_256(
      concatBytes(
        keccak_256(fromUtf8(key.execProgramId)),
        keccak_256(key.execInputs),
        keccak_256(fromUtf8(key.tallyProgramId)),
        keccak_256(key.tallyInputs)
      )
    )
  )

/**
 * 64 lowercase hex characters. Each part is hashed first, so that different keys never have the same input. A feed uses the same key for
 * every run, so it is hashed once per key.
 */
export const lastResultKeyOf: (key: LastResultKey) => string = memoized(hashOf)
