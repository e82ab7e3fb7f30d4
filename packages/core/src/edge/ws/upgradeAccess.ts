/** Who may open a WebSocket: a key in the header, or a ticket as a subprotocol, which browsers can send (decision D52). */
import { Clock, type Context, Effect, Redacted } from "effect"
import { type OutsideTicket, Unauthorized } from "../../contract/errors.ts"
import { ticketProtocolPrefix, webSocketProtocol } from "../../contract/tickets.ts"
import type { ResolvedPrincipal } from "../../domain/accounts/project.ts"
import { isOwnOrigin } from "../../domain/settings/origin.ts"
import { ticketKeptMs, type TicketScope } from "../../domain/tickets/ticket.ts"
import { looksLikeTicket } from "../../domain/tickets/ticketText.ts"
import type { Tickets } from "../../ports/tickets/tickets.ts"
import { type Authorization, bearerKey } from "../access/authorization.ts"
import type { ServiceRequest } from "../transport/seam.ts"
import type { Renewed } from "./openConnections.ts"

/** What an admitted upgrade is opened with. */
export interface Admitted {
  readonly principal: ResolvedPrincipal
  /** The subprotocol to select. */
  readonly protocol: string | undefined
  readonly renewed: Renewed
}

type Access = Context.Tag.Service<Authorization>

const connectionScopes: ReadonlyArray<TicketScope> = ["execute", "feeds"]

const offeredIn = (request: ServiceRequest): ReadonlyArray<string> =>
  (request.header("sec-websocket-protocol") ?? "").split(",").map((name) => name.trim())

const twice = new Unauthorized({ message: "one ticket is offered at most" })

/** The budget of a ticket must outlast the connection that it has opened: it is kept anew in good time. */
const keptWhileOpen = (tickets: Context.Tag.Service<Tickets>, principal: ResolvedPrincipal, renewed: Renewed): Renewed => {
  const { ticket } = principal.project
  if (ticket?.hasBudget !== true) return renewed
  let keptAtMs: number | undefined
  return Effect.tap(renewed, () =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
      keptAtMs ??= nowMs
      if (Math.abs(nowMs - keptAtMs) < ticketKeptMs / 4) return Effect.void
      keptAtMs = nowMs
      return tickets.keep(ticket.ticketId)
    })
  )
}

/** Where the page that asks comes from. */
interface Origin {
  readonly origin: string | undefined
  readonly isForeign: boolean
}

const originIn = (request: ServiceRequest, allowedOrigins: ReadonlyArray<string>): Origin => {
  const origin = request.header("origin")
  return { origin, isForeign: origin !== undefined && !isOwnOrigin(origin, request.header("host")) && !allowedOrigins.includes(origin) }
}

const byTicket = (access: Access, tickets: Context.Tag.Service<Tickets>, text: string, origin: Origin) =>
  Effect.map(access.useTicket(text, { scopes: connectionScopes, ...origin }), (principal) => {
    const { ticket } = principal.project
    const renewed: Renewed = ticket === undefined ? Effect.succeed(principal) : access.ownerOfTicket(principal.apiKeyId, ticket)
    return { principal, renewed: keptWhileOpen(tickets, principal, renewed) }
  })

/**
 * A key in the header comes first; a ticket in the header is used as one in a subprotocol is. A page of another origin than the service's own
 * and `allowedOrigins` gets in only with a ticket that names its origin; no page can send a key in a header.
 */
export const admit = (
  access: Access,
  tickets: Context.Tag.Service<Tickets>,
  request: ServiceRequest,
  allowedOrigins: ReadonlyArray<string>
): Effect.Effect<Admitted, Unauthorized | OutsideTicket> =>
  Effect.gen(function* () {
    const header = request.header("authorization")
    const offered = offeredIn(request)
    const protocol = offered.includes(webSocketProtocol) ? webSocketProtocol : undefined
    const [ticket, ...more] = offered
      .filter((name) => name.startsWith(ticketProtocolPrefix))
      .map((name) => name.slice(ticketProtocolPrefix.length))
    const origin = originIn(request, allowedOrigins)
    if (header === undefined && more.length > 0) return yield* twice
    if (header === undefined && ticket !== undefined) return { ...(yield* byTicket(access, tickets, ticket, origin)), protocol }
    const key = yield* bearerKey(header)
    if (looksLikeTicket(Redacted.value(key))) return { ...(yield* byTicket(access, tickets, Redacted.value(key), origin)), protocol }
    return { principal: yield* access.authenticate(key), renewed: access.authenticate(key), protocol }
  })
