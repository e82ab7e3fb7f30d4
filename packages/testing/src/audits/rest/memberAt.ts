/** Reads the members of answers with which audits calculate. One that is absent, or of another form, is an error that names it. */
import { hexToBytes } from "@noble/hashes/utils.js"
import { at } from "./call.ts"

const longest = 80

const member = (value: unknown, names: ReadonlyArray<string>, form: string, isOne: (text: string) => boolean): string => {
  const found = at(value, ...names)
  const text = typeof found === "string" || typeof found === "number" ? String(found) : undefined
  if (text !== undefined && isOne(text)) return text
  const shown = JSON.stringify(found)?.slice(0, longest) ?? "absent"
  throw new Error(`${names.join(".")} must be ${form}, and is ${shown}`)
}

/** A whole number, as text or as a number. */
export const wholeAt = (value: unknown, ...names: ReadonlyArray<string>): bigint =>
  BigInt(member(value, names, "a whole number", (text) => /^\d{1,40}$/.test(text)))

/** The sum of the parts of a printed cost. */
export const partsOf = (cost: unknown): string => String(wholeAt(cost, "base") + wholeAt(cost, "gas") + wholeAt(cost, "dataProxies"))

/** Bytes in hex. */
export const bytesAt = (value: unknown, ...names: ReadonlyArray<string>): Uint8Array =>
  hexToBytes(member(value, names, "bytes in hex", (text) => /^(?:[0-9a-f]{2})*$/i.test(text)))

/** A date of ISO 8601, in milliseconds since 1970. */
export const timeMsAt = (value: unknown, ...names: ReadonlyArray<string>): number =>
  Date.parse(member(value, names, "a date of ISO 8601", (text) => !Number.isNaN(Date.parse(text))))
