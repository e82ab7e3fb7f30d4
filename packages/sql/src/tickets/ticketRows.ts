/** Tickets as rows. */
import type { TicketRecord, TicketTerms } from "@sibyl/core"
import { ask, type Plan } from "../database/plan.ts"
import { type Dialect, locking, type Query, query, words } from "../database/query.ts"

interface TicketRow {
  readonly ticket_id: string
  readonly project_id: string
  readonly api_key_id: string
  readonly hash: string
  readonly terms: string
  readonly expires_at_ms: number | string
  readonly uses_left: number | string
  readonly credits_left: string | null
  readonly kept_until_ms: number | string
}

const recordOf = (row: TicketRow): TicketRecord => {
  const { allow, origins, programs }: TicketTerms = JSON.parse(row.terms)
  return {
    ticketId: row.ticket_id,
    projectId: row.project_id,
    apiKeyId: row.api_key_id,
    hash: row.hash,
    allow,
    programs,
    origins,
    expiresAtMs: Number(row.expires_at_ms),
    usesLeft: Number(row.uses_left),
    creditsLeft: row.credits_left === null ? null : BigInt(row.credits_left),
    keptUntilMs: Number(row.kept_until_ms)
  }
}

/** A ticket that is kept, locked until the transaction ends. */
export function* findTicket(dialect: Dialect, ticketId: string, nowMs: number): Plan<TicketRecord | undefined> {
  const [row] = yield* ask<TicketRow>(query`
    SELECT ticket_id, project_id, api_key_id, hash, terms, expires_at_ms, uses_left, credits_left, kept_until_ms FROM tickets
    WHERE ticket_id = ${ticketId} AND kept_until_ms > ${nowMs} ${locking(dialect)}`)
  return row === undefined ? undefined : recordOf(row)
}

const textOf = (credits: bigint | null): string | null => (credits === null ? null : String(credits))

/** Adds a ticket. */
export const addTicket = (ticket: TicketRecord): Query => {
  const { allow, origins, programs } = ticket
  return query`
    INSERT INTO tickets (ticket_id, project_id, api_key_id, hash, terms, expires_at_ms, uses_left, credits_left, kept_until_ms)
    VALUES (${ticket.ticketId}, ${ticket.projectId}, ${ticket.apiKeyId}, ${ticket.hash}, ${JSON.stringify({ allow, origins, programs })},
      ${ticket.expiresAtMs}, ${ticket.usesLeft}, ${textOf(ticket.creditsLeft)}, ${ticket.keptUntilMs})`
}

/** Writes what changes in the life of a ticket. */
export const changeTicket = ({ creditsLeft, keptUntilMs, ticketId, usesLeft }: TicketRecord): Query => query`
  UPDATE tickets SET uses_left = ${usesLeft}, credits_left = ${textOf(creditsLeft)}, kept_until_ms = ${keptUntilMs}
  WHERE ticket_id = ${ticketId}`

/** Removes up to `most` tickets that need not be kept. Rows that another transaction has locked are skipped. */
export const sweepTickets = (dialect: Dialect, nowMs: number, most: number): Query => query`
  DELETE FROM tickets WHERE ticket_id IN (SELECT ticket_id FROM tickets WHERE kept_until_ms <= ${nowMs}
    ORDER BY kept_until_ms LIMIT ${most} ${words(dialect === "pg" ? "FOR UPDATE SKIP LOCKED" : "")})`

/** How many tickets of a project are kept, and until when the first of them is; a time that means nothing if there is none. */
export function* keptTickets(projectId: string, nowMs: number): Plan<{ readonly count: number; readonly freeAtMs: number }> {
  const [row] = yield* ask<{ readonly count: number | string; readonly free_at_ms: number | string | null }>(
    query`SELECT COUNT(*) AS count, MIN(kept_until_ms) AS free_at_ms FROM tickets WHERE project_id = ${projectId} AND kept_until_ms > ${nowMs}`
  )
  return { count: Number(row?.count ?? 0), freeAtMs: Number(row?.free_at_ms ?? 0) }
}
