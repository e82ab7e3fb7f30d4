/** What a transaction does, as a generator: it asks for statements and gets their rows, whoever runs them. */
import type { Query } from "./query.ts"

/** The rows of a statement. */
export type Rows = ReadonlyArray<object>

/** Statements one after the other, each of which may depend on the rows of those before it, and a result. */
export type Plan<A> = Generator<Query, A, Rows>

/** One statement of a plan, and its rows by the type that the caller knows them to have. */
export function* ask<Row extends object>(query: Query): Plan<ReadonlyArray<Row>> {
  return (yield query) as ReadonlyArray<Row>
}

/** Runs a plan to its end at once, where statements are synchronous. */
export const runPlanSync = <A>(plan: Plan<A>, rowsOf: (query: Query) => Rows): A => {
  let step = plan.next()
  while (step.done !== true) step = plan.next(rowsOf(step.value))
  return step.value
}
