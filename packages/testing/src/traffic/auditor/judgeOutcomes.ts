/** Judges which answers a request may have: refusals by key, parameters, program and credits, else the run. */
import { type History, isBefore, type Moment } from "../history/history.ts"
import { creditsIn, type CreditBounds } from "./creditBounds.ts"
import type { Asked } from "./askedRun.ts"
import type { Evidence } from "./evidence.ts"
import { type Execution, isReplayed, isStored, wasCrashedAfter } from "./executions.ts"
import { countAt, shown, textAt } from "../history/json.ts"
import { keyStateIn } from "./keyState.ts"
import { busyTags, knownTags } from "./knownTags.ts"
import { runModel } from "./programModel.ts"
import type { StartedFeed } from "./startedFeeds.ts"
import { isOutside, type Ticket, ticketOf } from "./tickets.ts"
import { type TrafficViolation, unless } from "./violation.ts"

/** The tags that an answer may have: of refusals that are certain (then nothing else may come), and of possible ones. */
interface Refusals {
  readonly certain: Set<string>
  readonly possible: Set<string>
}

const addProgram = ({ programs }: History, asked: Asked, { certain, possible }: Refusals): void => {
  if (asked.kind !== "run") return
  for (const id of [asked.run.execProgramId, asked.run.tallyProgramId]) {
    if (Object.values(programs).includes(id)) continue
    certain.add("ProgramNotFound")
    // A text that is no id may be a name, which not every service has.
    if (!/^[0-9a-f]{64}$/.test(id)) possible.add("InvalidParameter")
  }
}

/** A 403 must say what is so, and there must be a reason for it. */
const addCredits = (bounds: CreditBounds | undefined, { possible }: Refusals): void => {
  if (bounds === undefined || bounds.mayBeRefused) possible.add("InsufficientCredits")
}

/** A request, by what may be refused of it. */
interface Refusable {
  readonly asked: Asked
  readonly key: string | undefined
  readonly sent: Moment
  readonly reply: Moment
  readonly via: "rest" | "ws"
}

/** Refusals of an execution and of the start of a feed alike. */
const refusalsOf = (evidence: Evidence, { asked, key, reply, sent, via }: Refusable): Refusals => {
  const refusals: Refusals = { certain: new Set(), possible: new Set(busyTags) }
  const state = keyStateIn(evidence.history, key, sent, reply)
  if (state === "invalid" && via === "rest") refusals.certain.add("Unauthorized")
  // A connection may stay open for a second after its key was revoked.
  else if (state !== "valid") refusals.possible.add("Unauthorized")
  if (asked.kind === "refused") for (const tag of asked.tags) refusals.certain.add(tag)
  else if (asked.isUnclear) refusals.possible.add("InvalidParameter")
  addProgram(evidence.history, asked, refusals)
  return refusals
}

/** Other requests under the same idempotency key, with what else they could mean. */
const addIdempotency = ({ executions }: Evidence, execution: Execution, { certain, possible }: Refusals): void => {
  const { idempotencyKey, reply, tenant, text } = execution
  if (idempotencyKey === undefined) return
  if (!/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) certain.add("InvalidParameter")
  const others = executions.filter((other) => other.tenant === tenant && other.idempotencyKey === idempotencyKey && other.text !== text)
  if (others.some(({ sent }) => reply === undefined || isBefore(sent, reply))) possible.add("IdempotencyKeyReused")
}

const runTags = (evidence: Evidence, { asked, isLastResult, reply, sent }: Execution): ReadonlyArray<string> => {
  if (asked.kind !== "run") return []
  const { dryRun, returnLastResult } = asked.run.options
  const model = runModel(evidence.history, asked.run, sent, reply)
  const succeeded = model.exits === "other" ? [] : ["ExecuteResponse"]
  const failed = model.exits === "zero" ? [] : ["FailedExecutionResponse"]
  // A stored result is of another time, when the upstream may have failed.
  const isOlder = reply !== undefined && (isStored(reply) || isReplayed(reply))
  const isOfAnyTime = (isLastResult || returnLastResult || isOlder) && !model.isSteady
  const records = isOfAnyTime ? ["ExecuteResponse", "FailedExecutionResponse"] : [...succeeded, ...failed]
  return [...records, ...(dryRun && !isLastResult ? ["QuoteResponse"] : [])]
}

const judgeExecution = (evidence: Evidence, execution: Execution): ReadonlyArray<TrafficViolation> => {
  const { asked, isLastResult, key, lost, reply, sent, socket, step, via } = execution
  const { history } = evidence
  if (reply === undefined) {
    const mayBeLost = via === "rest" ? wasCrashedAfter(history, sent) : socket?.ended !== undefined && isEarly(history, socket.ended)
    return unless(mayBeLost, "one-answer", step, () => `it was not answered: ${lost ?? "nothing came"}`)
  }
  const refusals = refusalsOf(evidence, { asked, key, sent, reply, via })
  const bounds = creditsIn(evidence, execution.tenant, sent, reply, execution)
  const ticket = ticketOf(evidence.tickets, socket)
  const isQuote = asked.kind === "run" && asked.run.options.dryRun
  if (isOutside(ticket, isQuote ? ["execute", "read"] : ["execute"], asked)) refusals.certain.add("OutsideTicket")
  // Nothing can be stored of a program that does not exist.
  if (isLastResult && asked.kind === "run" && !refusals.certain.has("Unauthorized")) refusals.possible.add("LastResultNotFound")
  if (!isLastResult) {
    addCredits(bounds, refusals)
    if (ticket?.terms.maxCredits !== undefined) refusals.possible.add("InsufficientCredits")
    addIdempotency(evidence, execution, refusals)
  }
  const { certain, possible } = refusals
  const allowed = certain.size > 0 ? [...certain, ...possible] : [...runTags(evidence, execution), ...possible]
  return [
    ...unless(
      allowed.includes(reply.tag ?? ""),
      "outcome",
      step,
      () => `answered ${reply.tag ?? shown(reply.json)}; allowed: ${allowed.join(", ")}`
    ),
    ...judgeRefusedCredits(reply.tag, reply.json, bounds, ticket, step)
  ]
}

/** Whether a socket ended before the clients left at the end, so that it may have lost replies. */
export const isEarly = ({ rested }: History, ended: Moment): boolean => rested === undefined || isBefore(ended, rested)

const judgeRefusedCredits = (
  tag: string | undefined,
  json: unknown,
  bounds: CreditBounds | undefined,
  ticket: Ticket | undefined,
  step: number | undefined
): ReadonlyArray<TrafficViolation> => {
  if (tag !== "InsufficientCredits") return []
  const [required, remaining] = [countAt(json, "details", "required"), countAt(json, "details", "remaining")]
  if (required === undefined || remaining === undefined) return unless(false, "shape", step, () => "403 without required and remaining")
  // Either the project's credits do not cover the run, or its ticket's budget.
  const isOfTicket = ticket?.ticketId !== undefined && textAt(json, "details", "ticketId") === ticket.ticketId
  const most = isOfTicket ? ticket.terms.maxCredits : bounds?.mostRemaining
  return [
    ...unless(remaining < required, "credits", step, () => `refused with ${remaining} credits, ${required} are required`),
    ...unless(
      most === undefined || remaining <= most,
      "credits",
      step,
      () => `${remaining} credits remain ${isOfTicket ? "in the ticket" : ""}, at most ${most} can`
    )
  ]
}

const judgeStart = (evidence: Evidence, feed: StartedFeed): ReadonlyArray<TrafficViolation> => {
  const { asked, feedId, law, reply, sent, socket, step } = feed
  if (reply === undefined)
    return unless(socket.ended !== undefined && isEarly(evidence.history, socket.ended), "one-answer", step, () => "it was not answered")
  const refusals = refusalsOf(evidence, { asked, key: socket.key, sent, reply, via: "ws" })
  if (law === undefined) refusals.certain.add("InvalidParameter")
  if (isOutside(ticketOf(evidence.tickets, socket), ["feeds"], asked)) refusals.certain.add("OutsideTicket")
  // A feed runs: who asks for quotes may be told so.
  if (asked.kind === "run" && asked.run.options.dryRun) refusals.possible.add("InvalidParameter")
  const tag = feedId === undefined ? (reply.tag ?? "nothing") : "feedId"
  const { certain, possible } = refusals
  const allowed = certain.size > 0 ? [...certain, ...possible] : ["feedId", "FeedLimit", ...possible]
  return unless(allowed.includes(tag), "outcome", step, () => `answered ${tag}; allowed: ${allowed.join(", ")}`)
}

/** Codes and statuses of tags. */
const judgeSending = ({ reply, step, via }: Execution): ReadonlyArray<TrafficViolation> => {
  const known = reply?.tag === undefined ? undefined : knownTags[reply.tag]
  if (reply === undefined || known === undefined) return []
  const status = reply.call?.answer?.status
  const code = textAt(reply.json, "error") === undefined ? undefined : countAt(reply.json, "code")
  const isRight = via === "rest" ? status === known.status : code === undefined || code === BigInt(known.code ?? -1)
  return unless(isRight, "shape", step, () => `${reply.tag} with ${via === "rest" ? `status ${status}` : `code ${code}`}`)
}

/** Every execution and every start of a feed. */
export const judgeOutcomes = (evidence: Evidence): ReadonlyArray<TrafficViolation> => [
  ...evidence.executions.flatMap((execution) => [...judgeExecution(evidence, execution), ...judgeSending(execution)]),
  ...evidence.feeds.flatMap((feed) => judgeStart(evidence, feed))
]
