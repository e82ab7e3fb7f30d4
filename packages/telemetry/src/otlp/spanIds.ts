/** Ids of spans and traces. */
import { Buffer } from "node:buffer"
import { randomFillSync } from "node:crypto"

/** Hexadecimal digits of a span's id, and with those of its trace's. */
const [spanDigits, idDigits] = [16, 48]

const pool = Buffer.alloc(4_096)
let used = pool.length

/** Digits for both ids, many drawn at once: numbers are written to another base by divisions. */
export const newIds = (): string => {
  const bytes = idDigits / 2
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += bytes
  return pool.toString("hex", used - bytes, used)
}

/** The span's part of the digits. */
export const spanIdIn = (ids: string): string => ids.slice(0, spanDigits)

/** The trace's part of the digits. */
export const traceIdIn = (ids: string): string => ids.slice(spanDigits)
