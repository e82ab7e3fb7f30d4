/** Runs a plan on a client of `@effect/sql`. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import type { Plan } from "./plan.ts"
import type { Dialect, Query } from "./query.ts"

/** The dialect of a client. */
export const dialectOf = (sql: SqlClient): Dialect => sql.onDialectOrElse({ pg: () => "pg", orElse: () => "sqlite" })

/** PostgreSQL numbers its places. No text of ours has a question mark elsewhere. */
const numbered = (text: string): string => {
  let place = 0
  return text.replaceAll("?", () => `$${(place += 1)}`)
}

/** Runs a plan on a client, in the caller's transaction if there is one. */
export const runPlan = <A>(sql: SqlClient, plan: (dialect: Dialect) => Plan<A>): Effect.Effect<A, SqlError> =>
  Effect.suspend(() => {
    const dialect = dialectOf(sql)
    const steps = plan(dialect)
    const carryOn = (step: IteratorResult<Query, A>): Effect.Effect<A, SqlError> => {
      if (step.done === true) return Effect.succeed(step.value)
      const { text, values } = step.value
      return Effect.flatMap(sql.unsafe(dialect === "pg" ? numbered(text) : text, values), (rows) => carryOn(steps.next(rows)))
    }
    return carryOn(steps.next())
  })
