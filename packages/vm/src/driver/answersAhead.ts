/** What a program reads that makes its expected requests one after the other, as far as their answers have arrived. */
import type { OutboundResponse } from "@sibyl/core"
import type { FetchAction } from "../tape/fetchAction.ts"
import { type AnsweredCall, bytesOf } from "../tape/tape.ts"
import { settled, timeLimitOf } from "./fetchOutside.ts"
import type { FetchRoom } from "./fetchRoom.ts"

/** A response and when it came, in ms since the Unix epoch. */
export interface Arrival {
  readonly response: OutboundResponse
  readonly atMs: number
}

/** An expected request. */
export interface ExpectedCall {
  readonly action: Uint8Array
  readonly request: FetchAction
  /** Its response, once there is one; "failed" if there will be none. */
  readonly arrival: Arrival | "failed" | undefined
}

/** Answers of the first calls, and the call whose answer is missing, if it may still come. */
export interface AnswersAhead {
  readonly answers: ReadonlyArray<AnsweredCall & { readonly kind: "fetch" }>
  /** When the program would make the missing call, and the end of its time limit, both in ms since the Unix epoch. */
  readonly missing?: { readonly calledAtMs: number; readonly untilMs: number }
}

/** Whether a status is that of a good answer. */
export const isGood = (status: number): boolean => status >= 200 && status <= 399

/** Whether a call at this time may have this response: if not, it makes the request itself. */
export const isUsable = ({ atMs, response }: Arrival, calledAtMs: number, wantedMs: number, maxBytes: number): boolean =>
  response.kind === "answered" &&
  isGood(response.status) &&
  response.bytes.length <= maxBytes &&
  // An answer that waited longer than a request may take is too old.
  calledAtMs - atMs <= wantedMs

/**
 * The answers to these calls, the first of them at `startMs`, in the room that is left to them. They end before the first
 * one that the program would not get: then it has to make the call, and reads what follows from that.
 */
export const answersAhead = (calls: ReadonlyArray<ExpectedCall>, room: FetchRoom, startMs: number): AnswersAhead => {
  const answers: Array<AnsweredCall & { readonly kind: "fetch" }> = []
  const { limits } = room
  let { budgetMs, leftBytes } = room
  let calledAtMs = startMs
  for (const { action, arrival, request } of calls) {
    const { limitMs, text, wantedMs } = timeLimitOf(request, { ...room, budgetMs })
    if (arrival === "failed" || limitMs <= 0) break
    if (arrival === undefined) return { answers, missing: { calledAtMs, untilMs: calledAtMs + limitMs } }
    const waitedMs = Math.max(0, arrival.atMs - calledAtMs)
    const maxBytes = Math.min(limits.httpResponseBytes, leftBytes - action.length)
    if (waitedMs > limitMs || !isUsable(arrival, calledAtMs, wantedMs, maxBytes)) break
    calledAtMs += waitedMs
    const answer = { kind: "fetch", action, atMs: Math.floor(calledAtMs), answer: settled(arrival.response, text) } as const
    answers.push(answer)
    budgetMs -= waitedMs
    leftBytes -= bytesOf(answer)
  }
  return { answers }
}
