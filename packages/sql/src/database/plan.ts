/** What a transaction does, as a generator: it asks for statements and gets their rows, whoever runs them. */
import type { Query } from "./query.ts"

/** The rows of a statement. */
export type Rows = ReadonlyArray<object>

/** A statement, or several whose rows nobody asks for, which change different rows: they may go to the database as one. */
export type Step = Query | ReadonlyArray<Query>

/** Steps one after the other, each of which may depend on the rows of those before it, and a result. */
export type Plan<A> = Generator<Step, A, Rows>

/** Whether a step has several statements. */
export const isSeveral = (step: Step): step is ReadonlyArray<Query> => Array.isArray(step)

/** One statement of a plan, and its rows by the type that the caller knows them to have. */
export function* ask<Row extends object>(query: Query): Plan<ReadonlyArray<Row>> {
  return (yield query) as ReadonlyArray<Row>
}

/** Runs a plan to its end at once, where statements are synchronous. */
export const runPlanSync = <A>(plan: Plan<A>, rowsOf: (query: Query) => Rows): A => {
  const carriedOut = (step: Step): Rows => {
    if (!isSeveral(step)) return rowsOf(step)
    for (const query of step) rowsOf(query)
    return []
  }
  let step = plan.next()
  while (step.done !== true) step = plan.next(carriedOut(step.value))
  return step.value
}
