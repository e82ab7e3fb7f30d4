/** Reading JSON that may be anything. */
import { isDeepStrictEqual } from "node:util"
import { at } from "../../audits/rest/call.ts"

/** An object of JSON. */
export type Members = Readonly<Record<string, unknown>>

/** Far deeper than any message of the contract, and far from where comparing or showing a value overflows the stack. */
const deepest = 500

/** Whether more brackets are open at once; of a text that is no JSON it may say anything. */
const isTooDeep = (text: string): boolean => {
  let [depth, isText] = [0, false]
  for (let place = 0; place < text.length; place += 1) {
    const char = text[place]
    if (char === '"') isText = !isText
    else if (isText) place += char === "\\" ? 1 : 0
    else if (char === "[" || char === "{") depth += 1
    else if (char === "]" || char === "}") depth -= 1
    if (depth > deepest) return true
  }
  return false
}

/** The value of a text; `undefined` if it is no JSON, or nested so deep that nobody reads it. */
export const parsed = (text: string): unknown => {
  if (text.length > deepest && isTooDeep(text)) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Whether a value is an object, and no list. */
export const isMembers = (value: unknown): value is Members => typeof value === "object" && value !== null && !Array.isArray(value)

/** The text at a path; `undefined` if there is none. */
export const textAt = (value: unknown, ...path: ReadonlyArray<string>): string | undefined => {
  const found = at(value, ...path)
  return typeof found === "string" ? found : undefined
}

/** The whole number at a path, as decimal text or as a number; `undefined` if there is none. */
export const countAt = (value: unknown, ...path: ReadonlyArray<string>): bigint | undefined => {
  const found = at(value, ...path)
  if (typeof found === "number" && Number.isSafeInteger(found)) return BigInt(found)
  return typeof found === "string" && /^[0-9]+$/.test(found) ? BigInt(found) : undefined
}

/** Whether two values are equal, whatever the order of their members. */
export const isEqualJson = (one: unknown, other: unknown): boolean => isDeepStrictEqual(one, other)

/** A value in a message: at most so many characters. */
export const shown = (value: unknown, longest = 300): string => {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing")
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
