/** Uses of tickets: what each route and method asks of one, and how a refusal is told. */
import { type Context, Effect } from "effect"
import { OutsideTicket, Unauthorized } from "../../contract/errors.ts"
import type { ResolvedProject } from "../../domain/accounts/project.ts"
import type { TicketRecord, TicketScope } from "../../domain/tickets/ticket.ts"
import { hashTicket, ticketIdFor } from "../../domain/tickets/ticketText.ts"
import type { Tickets } from "../../ports/tickets/tickets.ts"

/** What a ticket is to open. */
export interface TicketUse {
  /** One of these suffices; none: no ticket may do this. */
  readonly scopes: ReadonlyArray<TicketScope>
  /** The header `Origin`. */
  readonly origin: string | undefined
  /** Whether the origin is neither the service's own nor an allowed one, so that the ticket has to name it. */
  readonly isForeign?: boolean
}

/** The one refusal: unknown, expired and used-up tickets cannot be told apart. */
const ticketRefused = (): Unauthorized => new Unauthorized({ message: "The ticket is not valid: it is unknown, expired or used up" })

/** Of a proxy that replaces the header `Host`, the service's own pages come from elsewhere, too. */
const elsewhere =
  "the ticket is not valid for this origin, which is not in allowedOrigins, nor that of the header Host: the ticket has to name it in origins"

const wrongOrigin = ({ isForeign, origin }: TicketUse): OutsideTicket =>
  new OutsideTicket({
    message: isForeign === true ? elsewhere : "the ticket is not valid for this origin",
    details: origin === undefined ? {} : { origin }
  })

const outside = (what: "use" | "origin", use: TicketUse): OutsideTicket =>
  what === "origin"
    ? wrongOrigin(use)
    : new OutsideTicket({ message: `the ticket does not allow this; it takes: ${use.scopes.join(" or ")}`, details: { allow: use.scopes } })

const never = new OutsideTicket({ message: "no ticket allows this: it takes a key", details: { allow: [] } })

/** Takes one use of a ticket. What no ticket may do takes none. */
export const openedTicket = (
  tickets: Context.Tag.Service<Tickets>,
  network: string,
  text: string,
  use: TicketUse
): Effect.Effect<TicketRecord, Unauthorized | OutsideTicket> => {
  const ticketId = ticketIdFor(network, text)
  if (ticketId === undefined) return Effect.fail(ticketRefused())
  const attempt = { ticketId, hash: hashTicket(text), scopes: use.scopes, origin: use.origin ?? null, isForeign: use.isForeign === true }
  return Effect.flatMap(tickets.use(attempt), (verdict): Effect.Effect<TicketRecord, Unauthorized | OutsideTicket> => {
    if (verdict.kind === "opened") return Effect.succeed(verdict.record)
    if (verdict.kind === "refused") return Effect.fail(ticketRefused())
    return Effect.fail(use.scopes.length === 0 ? never : outside(verdict.what, use))
  })
}

/** Refuses what the ticket behind a project does not allow, if there is one. */
export const requireScope = ({ ticket }: ResolvedProject, ...scopes: ReadonlyArray<TicketScope>): Effect.Effect<void, OutsideTicket> =>
  ticket === undefined || scopes.some((scope) => ticket.allow.includes(scope))
    ? Effect.void
    : Effect.fail(outside("use", { scopes, origin: undefined }))
