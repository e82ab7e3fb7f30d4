/** Judges tickets: what they are asked to be, whom they let in, how often and how long, and what their connections spend (decision D52). */
import { TicketAnswer } from "@sibyl/core"
import { Either, ParseResult, Schema } from "effect"
import { type History, isBefore, type Moment, type RestAnswer, type RestCall, type SocketHistory } from "../history/history.ts"
import { parsed, textAt } from "../history/json.ts"
import { askedTicketOf } from "./askedTicket.ts"
import { costOf, knownHolds } from "./creditBounds.ts"
import type { Evidence } from "./evidence.ts"
import { type Telling, wasCrashedAfter } from "./executions.ts"
import { keyStateIn } from "./keyState.ts"
import { busyTags } from "./knownTags.ts"
import { isTicketCall, type Ticket } from "./tickets.ts"
import { type TrafficViolation, unless } from "./violation.ts"

const decodeAnswer = Schema.decodeUnknownEither(TicketAnswer)

const answerFault = ({ headers, text }: RestAnswer): string | undefined => {
  const json = parsed(text)
  const decoded = decodeAnswer(json)
  if (Either.isLeft(decoded)) return ParseResult.TreeFormatter.formatErrorSync(decoded.left)
  const offered = decoded.right.subprotocols.join()
  if (offered !== `sibyl.v1,sibyl.ticket.${decoded.right.ticket}`) return `the subprotocols are ${offered}`
  return /no-store/.test(headers["cache-control"] ?? "") ? undefined : "it may be kept in caches: no Cache-Control: no-store"
}

/** A request for a ticket. */
const judgeAsked = ({ history }: Evidence, call: RestCall): ReadonlyArray<TrafficViolation> => {
  const { answer, key, sent, step } = call
  if (!isTicketCall(call) || answer === undefined) return []
  const asked = askedTicketOf(call)
  const state = keyStateIn(history, key, sent, answer)
  const programs = asked.kind === "ticket" ? (asked.terms.programs ?? []) : []
  const isUnknown = programs.some((id) => !Object.values(history.programs).includes(id))
  const refusals = [
    ...(state === "valid" ? [] : ["Unauthorized"]),
    ...(asked.kind === "refused" ? asked.tags : []),
    ...(isUnknown ? ["ProgramNotFound", "InvalidParameter"] : [])
  ]
  const isRefused = state === "invalid" || asked.kind === "refused" || isUnknown
  const allowed = [...(isRefused ? [] : ["201"]), ...refusals, "TicketLimit", ...busyTags]
  const came = answer.status === 201 ? "201" : (textAt(parsed(answer.text), "_tag") ?? String(answer.status))
  const fault = answer.status === 201 ? answerFault(answer) : undefined
  return [
    ...unless(allowed.includes(came), "outcome", step, () => `answered ${came}; allowed: ${allowed.join(", ")}`),
    ...unless(fault === undefined, "shape", step, () => `POST /tickets: ${fault}`)
  ]
}

/** When an attempt was answered. */
const answeredOf = ({ opened, refused }: SocketHistory): Moment | undefined => opened ?? refused

/** Whether the ticket may be presented in a span, as far as its time decides; its life began somewhere between its request and its answer. */
const lifeIn = ({ toleranceMs }: History, { from, terms, to }: Ticket, asked: Moment, answered: Moment): "alive" | "over" | "either" => {
  const slackMs = toleranceMs ?? 1_000
  if (asked.atMs > to.atMs + terms.expiresInMs + slackMs) return "over"
  return answered.atMs < from.atMs + terms.expiresInMs - slackMs ? "alive" : "either"
}

/** What a page or a scope is refused for, which takes no use. */
const isForeign = ({ terms: { allow, origins } }: Ticket, { origin }: SocketHistory): boolean =>
  !allow.some((scope) => scope !== "read") ||
  (origins === undefined ? origin !== undefined : origin === undefined || !origins.includes(origin))

/** Bounds of the uses that others have taken of a ticket when an attempt was judged. An answer of 401 or 403 has taken none. */
const usesBefore = (ticket: Ticket, attempt: SocketHistory, answered: Moment): { readonly least: number; readonly most: number } => {
  const others = ticket.attempts.filter((other) => other !== attempt)
  const most = others.filter((other) => isBefore(other.asked, answered) && ![401, 403].includes(other.refused?.status ?? 0))
  return { least: others.filter(({ opened }) => opened !== undefined && isBefore(opened, attempt.asked)).length, most: most.length }
}

/** The statuses that an attempt may be answered with, of which 101 opens it. */
const allowedStatuses = ({ history }: Evidence, ticket: Ticket, attempt: SocketHistory, answered: Moment): ReadonlyArray<number> => {
  const key = keyStateIn(history, ticket.key, attempt.asked, answered)
  const life = lifeIn(history, ticket, attempt.asked, answered)
  const { least, most } = usesBefore(ticket, attempt, answered)
  const { maxUses } = ticket.terms
  const isFresh = life === "alive" && most < maxUses
  const isSpent = life === "over" || least >= maxUses
  const foreign = isForeign(ticket, attempt)
  return [
    ...(isSpent || foreign || key === "invalid" ? [] : [101, 429]),
    ...(isSpent || !isFresh || key !== "valid" ? [401] : []),
    ...(foreign && !isSpent ? [403] : []),
    503
  ]
}

/** An attempt to open a connection. */
const judgeAttempt = (evidence: Evidence, attempt: SocketHistory): ReadonlyArray<TrafficViolation> => {
  const { asked, opened, refused, step, ticket: text } = attempt
  if (text === undefined) return []
  const answered = answeredOf(attempt)
  if (answered === undefined)
    return unless(wasCrashedAfter(evidence.history, asked), "one-answer", step, () => "the upgrade was not answered")
  const ticket = evidence.tickets.get(text)
  const allowed = ticket === undefined ? [401, 503] : allowedStatuses(evidence, ticket, attempt, answered)
  const status = opened === undefined ? (refused?.status ?? 0) : 101
  return unless(allowed.includes(status), "tickets", step, () => `the ticket was answered with ${status}; allowed: ${allowed.join(", ")}`)
}

/** Of many attempts at once as many are opened as there are uses. */
const judgeUses = ({ attempts, step, terms }: Ticket): ReadonlyArray<TrafficViolation> => {
  const opened = attempts.filter((attempt) => attempt.opened !== undefined).length
  return unless(opened <= terms.maxUses, "tickets", step, () => `the ticket opened ${opened} connections, it has ${terms.maxUses} uses`)
}

/** Whether one of two runs of a ticket's connections had certainly ended when the other began. */
const hadEnded = ({ feeds }: Evidence, one: Telling, other: Telling): boolean => {
  if (isBefore(one.told, other.sent)) return true
  const feed = feeds.find(({ sent, socket }) => socket === other.execution?.socket && sent.order === other.sent.order)
  const isOfOneFeed = one.how === "feed" && other.how === "feed" && one.sent.order === other.sent.order
  return isOfOneFeed && feed?.law !== undefined && feed.law.mode !== "PARALLEL" && isBefore(one.told, other.told)
}

/** Each run on a ticket's connections reserves what it may cost: a budget that does not cover that is refused. */
const judgeBudget = (evidence: Evidence, { attempts, terms: { maxCredits } }: Ticket): ReadonlyArray<TrafficViolation> => {
  const { settled, tellings } = evidence
  const hold = knownHolds(evidence)?.least
  if (maxCredits === undefined || hold === undefined) return []
  const costsOf = ({ id, tenant }: Telling): bigint => {
    const report = tenant === undefined ? undefined : settled.get(tenant)?.get(id)
    return report === undefined ? 0n : costOf(report)
  }
  const own = tellings.filter(({ execution, isFresh }) => isFresh === true && attempts.some((socket) => socket === execution?.socket))
  return own.flatMap((telling) => {
    const before = own.filter((other) => other !== telling && hadEnded(evidence, other, telling))
    const spent = before.reduce((sum, other) => sum + costsOf(other), 0n)
    return unless(
      maxCredits - spent >= hold,
      "tickets",
      telling.step,
      () => `the run ${telling.id} reserves ${hold} credits; of the ticket's ${maxCredits}, ${spent} were spent`
    )
  })
}

/** Everything about tickets. */
export const judgeTickets = (evidence: Evidence): ReadonlyArray<TrafficViolation> => [
  ...evidence.history.calls.flatMap((call) => judgeAsked(evidence, call)),
  ...evidence.history.sockets.flatMap((socket) => judgeAttempt(evidence, socket)),
  ...[...evidence.tickets.values()].flatMap((ticket) => [...judgeUses(ticket), ...judgeBudget(evidence, ticket)])
]
