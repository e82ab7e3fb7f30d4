/** One short name for the four values that a last result is kept under (decision D28). */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { concatBytes } from "@noble/hashes/utils.js"
import { fromUtf8, toHex } from "../encoding/bytes.ts"
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

/** A feed asks with the same key at every run. */
const known = new WeakMap<LastResultKey, string>()

/** 64 lowercase hex characters. Each part is hashed first, so no two keys run together. */
export const lastResultKeyOf = (key: LastResultKey): string => {
  const before = known.get(key)
  if (before !== undefined) return before
  const name = hashOf(key)
  known.set(key, name)
  return name
}
