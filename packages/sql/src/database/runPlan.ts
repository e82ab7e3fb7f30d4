/** Runs a plan on a client of `@effect/sql`. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { isSeveral, type Plan, type Step } from "./plan.ts"
import type { Dialect, Query } from "./query.ts"

/** The dialect of a client. */
export const dialectOf = (sql: SqlClient): Dialect => sql.onDialectOrElse({ pg: () => "pg", orElse: () => "sqlite" })

/** PostgreSQL numbers its places. No text of ours has a question mark elsewhere. */
const numbered = (text: string): string => {
  let place = 0
  return text.replaceAll("?", () => `$${(place += 1)}`)
}

/** Statements as one, by which PostgreSQL carries all of them out. None sees what another one changes; constraints are checked at the end. */
const asOne = (queries: ReadonlyArray<Query>): Query => ({
  text: `WITH ${queries.map(({ text }, at) => `part${at} AS (${text})`).join(", ")} SELECT`,
  values: queries.flatMap(({ values }) => values)
})

/** What is sent for a step, one after the other. */
const sentFor = (dialect: Dialect, step: Step): ReadonlyArray<Query> => {
  if (!isSeveral(step)) return [step]
  return dialect === "pg" && step.length > 1 ? [asOne(step)] : step
}

/** Runs a plan on a client, in the caller's transaction if there is one. */
export const runPlan = <A>(sql: SqlClient, plan: (dialect: Dialect) => Plan<A>): Effect.Effect<A, SqlError> =>
  Effect.suspend(() => {
    const dialect = dialectOf(sql)
    const steps = plan(dialect)
    const rowsOf = ({ text, values }: Query) => sql.unsafe(dialect === "pg" ? numbered(text) : text, values)
    const carryOn = (step: IteratorResult<Step, A>): Effect.Effect<A, SqlError> => {
      if (step.done === true) return Effect.succeed(step.value)
      const [query, ...more] = sentFor(dialect, step.value)
      if (query === undefined) return carryOn(steps.next([]))
      const rows = more.length === 0 ? rowsOf(query) : Effect.as(Effect.forEach([query, ...more], rowsOf, { discard: true }), [])
      return Effect.flatMap(rows, (found) => carryOn(steps.next(found)))
    }
    return carryOn(steps.next())
  })
