/** Parses the JSON texts that programs pass to the host. */
import { refusedAs, unreadable, type Reading } from "./reading.ts"

/** The maximum nesting of arrays and objects in an action; valid actions have at most three levels. */
export const maxJsonDepth = 32

const strictUtf8 = new TextDecoder("utf-8", { fatal: true })

const quote = 0x22
const backslash = 0x5c

/** 1 for the bytes that open an array or an object, −1 for those that close one. */
const nesting = new Int8Array(256)
nesting[0x5b] = nesting[0x7b] = 1
nesting[0x5d] = nesting[0x7d] = -1

/**
 * Whether brackets outside of strings nest deeper than the bound. Checked before the text is parsed, because engines differ in their
 * limits: one overflows its stack, the other takes seconds.
 */
const isTooDeep = (bytes: Uint8Array): boolean => {
  let depth = 0
  let inString = false
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte === quote) inString = !inString
    else if (inString) at += byte === backslash ? 1 : 0
    else {
      depth += nesting[byte] ?? 0
      if (depth > maxJsonDepth) return true
    }
  }
  return false
}

/** The value of UTF-8 JSON bytes, unless they are not JSON or nest too deeply. */
export const parseJson = (bytes: Uint8Array): Reading<unknown> => {
  if (isTooDeep(bytes)) return refusedAs(`the action nests deeper than ${maxJsonDepth}`)
  try {
    return { kind: "request", request: JSON.parse(strictUtf8.decode(bytes)) as unknown }
  } catch (fault) {
    // A stack overflow here is due to the program's depth, not to its text.
    if (fault instanceof RangeError) throw fault
    return unreadable
  }
}

/** Whether a JSON value is an object. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
