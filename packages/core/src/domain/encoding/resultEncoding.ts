/** The `result` copies of a response in the requested encoding (decision D3). */
import { toBase64, toHex, toUtf8, toUtf8Lossy } from "./bytes.ts"
import { readJson } from "./losslessJson.ts"
import { RawJson } from "./responseJson.ts"

/** How result bytes are shown. */
export type ResultEncoding = "hex" | "base64" | "utf8" | "json"

const hexText = (bytes: Uint8Array): string => `0x${toHex(bytes)}`

/** The shown result: text, or for `json` the result's own JSON text, embedded unchanged so that no digit changes. */
export const encodeResult = (bytes: Uint8Array, encoding: ResultEncoding): string | RawJson => {
  switch (encoding) {
    case "hex":
      return hexText(bytes)
    case "base64":
      return toBase64(bytes)
    case "utf8":
      return toUtf8Lossy(bytes)
    case "json": {
      const text = toUtf8(bytes)
      return text !== undefined && readJson(text).ok ? new RawJson(text) : hexText(bytes)
    }
  }
}
