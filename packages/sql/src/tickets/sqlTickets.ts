/** Tickets on SQL; each change is one transaction, wherever the database is written. */
import { SqlClient } from "@effect/sql/SqlClient"
import { type BudgetVerdict, type IssueVerdict, Tickets, type TicketVerdict } from "@sibyl/core"
import { Effect, Layer } from "effect"
import { runProcedure } from "../database/procedure.ts"
import { orSqlDefect } from "../database/sqlDefect.ts"
import { type TicketOrder, type TicketOutcome, ticketProcedure } from "./ticketProcedure.ts"

/** Not repeated when it may have happened: a use or credits would be taken, or given back, twice. */
const carryOut = <Outcome extends TicketOutcome>(sql: SqlClient, order: TicketOrder): Effect.Effect<Outcome> =>
  Effect.flatMap(Effect.clock, (clock) =>
    runProcedure(sql, ticketProcedure, () => ({ order, nowMs: clock.unsafeCurrentTimeMillis() }), false)
  ).pipe(
    Effect.map((outcome) => outcome as Outcome),
    orSqlDefect(`the ${order.kind} of a ticket`)
  )

/** The tickets of the network. */
export const layerSqlTickets: Layer.Layer<Tickets, never, SqlClient> = Layer.effect(
  Tickets,
  Effect.map(SqlClient, (sql) => ({
    issue: (ticket, maxTickets) => carryOut<IssueVerdict>(sql, { kind: "issue", ticket, maxTickets }),
    use: (attempt) => carryOut<TicketVerdict>(sql, { kind: "use", attempt }),
    reserve: (ticketId, credits) => carryOut<BudgetVerdict>(sql, { kind: "reserve", ticketId, credits }),
    giveBack: (ticketId, credits) => Effect.asVoid(carryOut(sql, { kind: "giveBack", ticketId, credits })),
    keep: (ticketId) => Effect.asVoid(carryOut(sql, { kind: "keep", ticketId }))
  }))
)
