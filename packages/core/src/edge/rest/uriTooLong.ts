/** Refuses a request target that is too long, with 414. */
import { UriTooLong } from "../../contract/errors.ts"

/** The refusal of a path and query (ASCII) longer than that; `undefined` if they are not. */
export const uriTooLong = (url: string, maxUrlBytes: number): UriTooLong | undefined =>
  url.length > maxUrlBytes
    ? new UriTooLong({ message: `path and query are longer than ${maxUrlBytes} bytes`, details: { maxUrlBytes } })
    : undefined
