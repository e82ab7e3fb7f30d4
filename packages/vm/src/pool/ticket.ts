/** A pass that the pool was asked for: its caller, its waiting, and its reply. */
import type { PassJob, PassReply } from "./passJob.ts"
import { timesKeyOf } from "./passTimes.ts"
import type { WaitingPass } from "./turns.ts"

/** A job and the callback for its reply. */
export interface Ticket extends WaitingPass {
  job: PassJob
  /** Mutable here: what is run again has begun. */
  first: boolean
  /** Whether its first worker was lost. */
  isSecond: boolean
  readonly reply: (reply: PassReply) => void
  /** Under which its time is remembered. */
  readonly timesKey: string
  /** Whether its caller has a reply, or wants none any more. */
  isAnswered: boolean
  /** Whether a worker has been given it, so that its caller has been told. */
  isStarted: boolean
  /** Where its worker is; undefined while it waits for one. */
  place: number | undefined
  /** Ends the waiting for a worker. */
  timer: NodeJS.Timeout | undefined
  /** Ends the listening to whether it is abandoned while it waits. */
  endListening: (() => void) | undefined
}

/** A new one. */
export const ticketOf = (job: PassJob, reply: (reply: PassReply) => void): Ticket => ({
  job,
  reply,
  timesKey: timesKeyOf(job),
  projectId: job.projectId,
  first: job.first,
  isSecond: false,
  isAnswered: false,
  isStarted: false,
  place: undefined,
  timer: undefined,
  endListening: undefined
})

/** Replies, unless that has been done: a pass that lay ahead at one worker may have run on two. */
export const answer = (ticket: Ticket, reply: PassReply): void => {
  if (ticket.isAnswered) return
  ticket.isAnswered = true
  ticket.reply(reply)
}

/** It waits no longer, whatever the reason. */
export const stopWaiting = (ticket: Ticket): void => {
  clearTimeout(ticket.timer)
  ticket.endListening?.()
  ticket.endListening = undefined
}

/** It waits for a worker; `giveUp` is called if it waits for longer than it may, or is abandoned meanwhile. */
export const beginWaiting = (ticket: Ticket, giveUp: (kind: "waitedTooLong" | "abandoned") => void): void => {
  const { abandoned, maxWaitMs } = ticket.job
  if (maxWaitMs !== undefined) ticket.timer = setTimeout(() => giveUp("waitedTooLong"), maxWaitMs)
  ticket.endListening = abandoned?.onAbandoned(() => giveUp("abandoned"))
}
