/** Compares the unsigned copies of signed values in a response with the signed ones (decisions D1, D3, D11). */
import { toBase64, toHex, toUtf8, toUtf8Lossy } from "../domain/encoding/bytes.ts"
import type { DataResult } from "../domain/protocol/dataResult.ts"
import { sameJson } from "./jsonValue.ts"
import type { Copy, SignedParts } from "./signedParts.ts"

/** The value of a JSON text as a client's `JSON.parse` returns it; `undefined` if it is invalid. */
const parsed = (text: string | undefined): unknown => {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether result bytes may be shown like this in one of the four encodings. */
const shows = (bytes: Uint8Array, shown: unknown): boolean =>
  shown === `0x${toHex(bytes)}` || shown === toBase64(bytes) || shown === toUtf8Lossy(bytes) || sameJson(shown, parsed(toUtf8(bytes)))

const fits = ({ of, shown }: Copy, parts: SignedParts, { drId, exitCode, gasUsed, result }: DataResult): boolean => {
  switch (of) {
    case "result":
      return shows(result, shown)
    case "drId":
      return shown === drId
    case "exitCode":
      return shown === exitCode
    case "gasUsed":
      return shown === gasUsed.toString()
    default:
      return sameJson(shown, parts[of])
  }
}

/** The first copy that differs from the signed value. */
export const changedCopy = (parts: SignedParts, dataResult: DataResult): Copy | undefined =>
  parts.copies.find((copy) => !fits(copy, parts, dataResult))
