/** A ticket: a short-lived, narrower stand-in for a key, and the rules for its uses and its budget (decision D52). */
import { equalInConstantTime } from "../encoding/constantTime.ts"

/** What a ticket may be used for. */
export const ticketScopes = ["execute", "feeds", "read"] as const

/** One of them: runs; feeds over WebSocket; what is stored and what runs would cost. */
export type TicketScope = (typeof ticketScopes)[number]

/** What a ticket allows. */
export interface TicketTerms {
  readonly allow: ReadonlyArray<TicketScope>
  /** Ids of programs; `null`: every program of the project's allow-list. */
  readonly programs: ReadonlyArray<string> | null
  /** One of these must be in the header `Origin`; `null`: not looked at. */
  readonly origins: ReadonlyArray<string> | null
}

/** A ticket as a store has it, without its text. */
export interface TicketRecord extends TicketTerms {
  readonly ticketId: string
  readonly projectId: string
  /** The key that made it, with which it ends. */
  readonly apiKeyId: string
  /** `hashTicket` of its text. */
  readonly hash: string
  /** From this time on it opens nothing. */
  readonly expiresAtMs: number
  readonly usesLeft: number
  /** What its runs may still take; `null`: no budget of its own. */
  readonly creditsLeft: bigint | null
  /** From this time on a store may forget it. */
  readonly keptUntilMs: number
}

/** What goes with a request or a connection that a ticket has opened. */
export interface TicketGrant extends TicketTerms {
  readonly ticketId: string
  readonly hasBudget: boolean
}

/** The grant of a ticket. */
export const grantOf = ({ allow, creditsLeft, origins, programs, ticketId }: TicketRecord): TicketGrant => ({
  allow,
  programs,
  origins,
  ticketId,
  hasBudget: creditsLeft !== null
})

/** A presented ticket, and what it is to open. */
export interface TicketAttempt {
  readonly ticketId: string
  readonly hash: string
  /** One of these must be allowed. */
  readonly scopes: ReadonlyArray<TicketScope>
  /** The header `Origin`; `null` if there is none. */
  readonly origin: string | null
  /** Whether only a ticket that names this origin may open it. */
  readonly isForeign?: boolean
}

/** What came of issuing a ticket. */
export type IssueVerdict =
  | { readonly kind: "issued" }
  /** The project has as many as it may; `freeAtMs`: when the first of them need not be kept any more, unless it is spent or kept on before. */
  | { readonly kind: "full"; readonly freeAtMs: number }

/** What becomes of an attempt. Only one that is opened takes a use. */
export type TicketVerdict =
  | { readonly kind: "refused" }
  | { readonly kind: "outside"; readonly what: "use" | "origin" }
  | { readonly kind: "opened"; readonly record: TicketRecord }

/** How long the budget of a ticket is kept after its last use, or after an open connection has asked to keep it; in ms. */
export const ticketKeptMs = 600_000

/** A ticket that opens nothing more and has no budget is of no use to anybody. */
const isSpent = ({ creditsLeft, usesLeft }: TicketRecord): boolean => usesLeft === 0 && creditsLeft === null

const hashOfNone = "0".repeat(64)

/** The verdict on an attempt. An opened ticket has one use less; whoever stores it lets a spent one go. */
export const judgeTicket = (found: TicketRecord | undefined, attempt: TicketAttempt, nowMs: number): TicketVerdict => {
  const isSame = equalInConstantTime(attempt.hash, found?.hash ?? hashOfNone)
  if (found === undefined || !isSame || nowMs >= found.expiresAtMs || found.usesLeft < 1) return { kind: "refused" }
  const { allow, origins } = found
  if (!attempt.scopes.some((scope) => allow.includes(scope))) return { kind: "outside", what: "use" }
  if (origins === null && attempt.isForeign === true) return { kind: "outside", what: "origin" }
  if (origins !== null && (attempt.origin === null || !origins.includes(attempt.origin))) return { kind: "outside", what: "origin" }
  const used = { ...found, usesLeft: found.usesLeft - 1 }
  return { kind: "opened", record: isSpent(used) ? { ...used, keptUntilMs: nowMs } : keptOn(used, nowMs) }
}

/** The ticket, whose budget is kept for a while from now on. */
export const keptOn = (ticket: TicketRecord, nowMs: number): TicketRecord =>
  ticket.creditsLeft === null ? ticket : { ...ticket, keptUntilMs: Math.max(ticket.keptUntilMs, nowMs + ticketKeptMs) }

/** What becomes of a run's wish for credits. */
export type BudgetVerdict =
  | { readonly kind: "reserved"; readonly creditsLeft: bigint }
  | { readonly kind: "refused"; readonly creditsLeft: bigint }

/** Takes credits out of what is left of a budget. A ticket that is no longer kept has none. */
export const reserveOf = (creditsLeft: bigint | undefined, credits: bigint): BudgetVerdict =>
  creditsLeft === undefined || creditsLeft < credits
    ? { kind: "refused", creditsLeft: creditsLeft ?? 0n }
    : { kind: "reserved", creditsLeft: creditsLeft - credits }
