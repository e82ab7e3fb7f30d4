/** Reading the JSON texts that programs pass to the host. */

const strictUtf8 = new TextDecoder("utf-8", { fatal: true })

/** The value of UTF-8 JSON bytes, undefined when they are not JSON. */
export const parseJson = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(strictUtf8.decode(bytes)) as unknown
  } catch (fault) {
    // A stack that overflows here belongs to the program's depth, not to its text.
    if (fault instanceof RangeError) throw fault
    return undefined
  }
}

/** Whether a JSON value is an object. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
