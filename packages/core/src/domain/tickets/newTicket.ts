/** What a new ticket is made of. */
import type { TicketRecord, TicketTerms } from "./ticket.ts"
import type { MadeTicket } from "./ticketText.ts"

/** How long a ticket may be presented, in ms. */
export const ticketLife = { least: 1_000, most: 3_600_000, usual: 60_000 } as const

/** How often a ticket may be used. */
export const ticketUses = { least: 1, most: 1_000, usual: 1 } as const

/** The most programs or origins that a ticket names. */
export const mostTicketNames = 100

/** What a ticket is asked to be, checked. */
export interface TicketWish extends TicketTerms {
  readonly expiresInMs: number
  readonly maxUses: number
  /** Above 0; `null`: no budget of its own. */
  readonly maxCredits: bigint | null
}

/** Who makes a ticket. */
export interface TicketMaker {
  readonly projectId: string
  readonly apiKeyId: string
  readonly apiKeyExpiresAtMs: number | null
}

/** The ticket at `nowMs`. It never outlives its key. */
export const newTicket = (
  { hash, ticketId }: Pick<MadeTicket, "hash" | "ticketId">,
  { apiKeyExpiresAtMs, apiKeyId, projectId }: TicketMaker,
  { allow, expiresInMs, maxCredits, maxUses, origins, programs }: TicketWish,
  nowMs: number
): TicketRecord => {
  const expiresAtMs = Math.min(nowMs + expiresInMs, apiKeyExpiresAtMs ?? Number.POSITIVE_INFINITY)
  return {
    ticketId,
    hash,
    projectId,
    apiKeyId,
    allow,
    programs,
    origins,
    expiresAtMs,
    usesLeft: maxUses,
    creditsLeft: maxCredits,
    keptUntilMs: expiresAtMs
  }
}
