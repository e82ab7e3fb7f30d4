/** The result of the previous run, if the request asked for its injection. */
import { env } from "./environment"
import { fromHexText } from "./hex"
import { fail } from "./process"

/** The previous result of the same request. */
export class LastResult {
  constructor(
    readonly bytes: Uint8Array,
    /** 0: it was a success. */
    readonly exitCode: i32,
    /** When that run ended, epoch milliseconds. */
    readonly timestampMs: i64
  ) {}
}

/** The last result; `null` if none is stored, none was requested, or this is the tally phase. */
export function lastResult(): LastResult | null {
  const hex = env("LAST_RESULT")
  if (hex === null) return null
  const bytes = fromHexText(hex)
  const exitCode = env("LAST_RESULT_EXIT_CODE")
  const timestamp = env("LAST_RESULT_TIMESTAMP")
  if (bytes === null || exitCode === null || timestamp === null) {
    return fail<LastResult>("the host's last result is malformed")
  }
  return new LastResult(bytes, I32.parseInt(exitCode), I64.parseInt(timestamp))
}
