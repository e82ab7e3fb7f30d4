/** What `POST /tickets` does: checks what is asked for, and issues a ticket of the key (decision D52). */
import { Clock, Effect } from "effect"
import { type Failure, TicketLimit } from "../../contract/errors.ts"
import { type TicketAnswer, ticketProtocolPrefix, webSocketProtocol } from "../../contract/tickets.ts"
import { isoOf } from "../../domain/encoding/isoText.ts"
import type { ResolvedPrincipal, ResolvedProject } from "../../domain/accounts/project.ts"
import { newTicket } from "../../domain/tickets/newTicket.ts"
import { makeTicket, ticketEntropyBytes } from "../../domain/tickets/ticketText.ts"
import { secondsUntil } from "../../domain/runs/retryAfter.ts"
import { Entropy } from "../../ports/entropy.ts"
import { Network } from "../../ports/network.ts"
import { Tickets } from "../../ports/tickets/tickets.ts"
import { Execution } from "../../services/execution.ts"
import type { ParameterPlace } from "../execution/executeParameters.ts"
import { readTicketWish } from "./ticketParams.ts"

/** What these requests need. */
export type TicketRequestServices = Entropy | Execution | Network | Tickets

/** The ids of the programs, all of which the project may run. */
const programIds = (project: ResolvedProject, references: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const execution = yield* Execution
    const programs = yield* Effect.forEach(references, (reference) => execution.program(project, reference))
    return [...new Set(programs.map(({ programId }) => programId))]
  })

/** Issues a ticket. */
export const createTicket = (
  { apiKeyExpiresAtMs, apiKeyId, project }: ResolvedPrincipal,
  body: ParameterPlace
): Effect.Effect<typeof TicketAnswer.Type, Failure, TicketRequestServices> =>
  Effect.gen(function* () {
    const wish = yield* readTicketWish(body)
    const programs = wish.programs === null ? null : yield* programIds(project, wish.programs)
    const { name } = yield* Network
    const made = makeTicket(name, yield* (yield* Entropy).bytes(ticketEntropyBytes))
    const maker = { projectId: project.projectId, apiKeyId, apiKeyExpiresAtMs }
    const nowMs = yield* Clock.currentTimeMillis
    const record = newTicket(made, maker, { ...wish, programs }, nowMs)
    const maxTickets = project.limits.ticketsPerProject
    const verdict = yield* (yield* Tickets).issue(record, maxTickets)
    if (verdict.kind === "full") {
      const message = `a project has at most ${maxTickets} tickets that are valid or in use`
      return yield* new TicketLimit({ message, retryAfterSeconds: secondsUntil(verdict.freeAtMs, nowMs), details: { maxTickets } })
    }
    return {
      ticket: made.ticket,
      ticketId: made.ticketId,
      expiresAt: isoOf(record.expiresAtMs),
      subprotocols: [webSocketProtocol, `${ticketProtocolPrefix}${made.ticket}`]
    }
  })
