/** Messages that come in parts, until they are whole. Parts of a message come in order; one that is missing loses the message. */
import type { Frame } from "./frame.ts"

/** A message of which parts are there. */
interface Incomplete {
  readonly parts: ReadonlyArray<Uint8Array>
  readonly count: number
  readonly bytes: number
  readonly sinceMs: number
}

/** The incomplete messages, the oldest first. */
export type Reassembly = ReadonlyMap<string, Incomplete>

/** Nothing has come yet. */
export const emptyReassembly: Reassembly = new Map()

/** The bounds of what is kept: the bytes of all incomplete messages, and how long one waits for its next part, in ms. */
export const reassemblyBounds = { bytes: 67_108_864, waitMs: 5_000 } as const

const joined = (parts: ReadonlyArray<Uint8Array>, bytes: number): Uint8Array => {
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Without what is too old; and without the oldest, as long as the rest is too much. */
const bounded = (messages: ReadonlyMap<string, Incomplete>, nowMs: number): Reassembly => {
  const kept = new Map([...messages].filter(([, { sinceMs }]) => nowMs - sinceMs <= reassemblyBounds.waitMs))
  let bytes = [...kept.values()].reduce((sum, one) => sum + one.bytes, 0)
  for (const [name, one] of kept) {
    if (bytes <= reassemblyBounds.bytes) break
    kept.delete(name)
    bytes -= one.bytes
  }
  return kept
}

/** Takes a part; `body` is the message that it completes. */
export const withPart = (
  messages: Reassembly,
  { body, count, index, name }: Frame & { readonly kind: "part" },
  nowMs: number
): { readonly messages: Reassembly; readonly body?: Uint8Array } => {
  const before = messages.get(name)
  const rest = new Map(messages)
  rest.delete(name)
  const expected = before?.parts.length ?? 0
  if (index !== expected || (before !== undefined && before.count !== count)) return { messages: bounded(rest, nowMs) }
  // A copy: the message that it is a view of may be larger.
  const parts = [...(before?.parts ?? []), new Uint8Array(body)]
  const bytes = (before?.bytes ?? 0) + body.length
  if (parts.length === count) return { messages: bounded(rest, nowMs), body: joined(parts, bytes) }
  rest.set(name, { parts, count, bytes, sinceMs: nowMs })
  return { messages: bounded(rest, nowMs) }
}
