/** Runs a plan on a client of `@effect/sql`, statement by statement. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { isChanges, isReads, type Plan, type Rows, type Step } from "./plan.ts"
import { type Dialect, numbered, type Query } from "./query.ts"

/** The dialect of a client. */
export const dialectOf = (sql: SqlClient): Dialect => sql.onDialectOrElse({ pg: () => "pg", orElse: () => "sqlite" })

/** Runs a plan on a client, in the caller's transaction if there is one. */
export const runPlan = <A>(sql: SqlClient, plan: (dialect: Dialect) => Plan<A>): Effect.Effect<A, SqlError> =>
  Effect.suspend(() => {
    const dialect = dialectOf(sql)
    const steps = plan(dialect)
    const rowsOf = ({ text, values }: Query): Effect.Effect<Rows, SqlError> => sql.unsafe(dialect === "pg" ? numbered(text) : text, values)
    const carriedOut = (step: Step): Effect.Effect<Rows, SqlError> => {
      if (isReads(step)) return Effect.forEach(step.reads, rowsOf)
      return isChanges(step) ? Effect.as(Effect.forEach(step, rowsOf, { discard: true }), []) : rowsOf(step)
    }
    const carryOn = (step: IteratorResult<Step, A>): Effect.Effect<A, SqlError> =>
      step.done === true ? Effect.succeed(step.value) : Effect.flatMap(carriedOut(step.value), (found) => carryOn(steps.next(found)))
    return carryOn(steps.next())
  })
