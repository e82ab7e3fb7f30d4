/** Headers for the collector, as OpenTelemetry writes them: `name=value,name=value`, percent-encoded where a list cannot hold a value. */
import { percentDecoded } from "./percentDecoded.ts"

/** A name in lower case, and the value that is sent. */
export type CollectorHeader = readonly [name: string, value: string]

// RFC 9110, 5.6.2 and 5.5.
const name = /^[!#$%&'*+.^_`|~0-9a-z-]+$/
const value = /^[\t\u0020-\u007e\u0080-\u00ff]*$/

const headerOf = (text: string): CollectorHeader => {
  const at = text.indexOf("=")
  return [text.slice(0, Math.max(at, 0)).trim().toLowerCase(), percentDecoded(text.slice(at + 1).trim())]
}

/** The headers of a list; `undefined` if one has no name, or what no header can hold. */
export const readOtlpHeaders = (list: string): ReadonlyArray<CollectorHeader> | undefined => {
  const headers = list.split(",").flatMap((text) => (text.trim() === "" ? [] : [headerOf(text)]))
  return headers.every((header) => name.test(header[0]) && value.test(header[1])) ? headers : undefined
}
