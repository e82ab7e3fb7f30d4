/** One short name for the four values that a last result is kept under (decision D28). */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { concatBytes } from "@noble/hashes/utils.js"
import { fromUtf8, toHex } from "./bytes.ts"
import type { LastResultKey } from "./executionReport.ts"

/** 64 lowercase hex characters. Each part is hashed first, so no two keys run together. */
export const lastResultKeyOf = (key: LastResultKey): string =>
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
