/** What a phase asked of the outside world and when it was answered, derived from its tape: the same for whoever replays it. */
import type { AnsweredHostCall } from "@sibyl/core"
import { decodeFetchAction } from "./fetchAction.ts"
import { type AnsweredCall, isTerminal, type Tape } from "./tape.ts"

/** Later calls are not listed. */
const listedCalls = 32

/** A program may ask with addresses of any length. */
const requestCharacters = 256

/** In visible ASCII: what a program asks for is shown in logs and terminals, and kept in databases. */
const shown = (text: string): string => text.slice(0, requestCharacters).replaceAll(/[^\x20-\x7e]/g, "?")

const requestOf = (action: Uint8Array): string => {
  const reading = decodeFetchAction(action)
  return reading.kind === "request" ? shown(`${reading.request.method} ${reading.request.url}`) : ""
}

const answered = (entry: AnsweredCall): Omit<AnsweredHostCall, "answeredAfterMs"> => {
  const { kind } = entry
  if (kind === "storage") return { kind, request: entry.operation, bytes: entry.answer.bytes.length }
  const request = requestOf(entry.action)
  if (kind === "proxyPrice") return { kind, request, bytes: 0 }
  const { bytes, status } = entry.answer
  return { kind, request, ...(status === 0 ? {} : { status }), bytes: status === 0 ? 0 : bytes.length }
}

/** The first 32 calls of a phase, in their order. */
export const hostCallsOf = ({ entries, startTimeMs }: Tape): ReadonlyArray<AnsweredHostCall> =>
  entries
    .slice(0, listedCalls)
    .flatMap((entry) => (isTerminal(entry) ? [] : [{ ...answered(entry), answeredAfterMs: Math.max(0, entry.atMs - startTimeMs) }]))
