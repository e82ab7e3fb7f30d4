/** What a transaction does, as a generator: it asks for statements and gets their rows, whoever runs them. */
import type { Query } from "./query.ts"

/** The rows of a statement. */
export type Rows = ReadonlyArray<object>

/** Statements whose rows are wanted, in the order in which they are carried out. None needs the rows of another. */
export interface Reads {
  readonly reads: ReadonlyArray<Query>
}

/** Statements whose rows nobody asks for, in order: whoever runs them may go on before they are done. */
export type Changes = ReadonlyArray<Query>

/** A statement whose rows are wanted, several of them, or changes. */
export type Step = Query | Reads | Changes

/** Steps one after the other, each of which may depend on the rows of those before it, and a result. */
export type Plan<A> = Generator<Step, A, Rows>

/** Whether nobody asks for the rows of a step. */
export const isChanges = (step: Step): step is Changes => Array.isArray(step)

/** Whether the rows of several statements are wanted: such a step is given a list of them. */
export const isReads = (step: Step): step is Reads => "reads" in step

/** One statement of a plan, and its rows by the type that the caller knows them to have. */
export function* ask<Row extends object>(query: Query): Plan<ReadonlyArray<Row>> {
  return (yield query) as ReadonlyArray<Row>
}

/** The rows of statements, in order, by the types that the caller knows them to have; none for one that is left out. */
export function* askAll<Found extends ReadonlyArray<Rows>>(...queries: { readonly [At in keyof Found]: Query | undefined }): Plan<Found> {
  const found = (yield { reads: queries.filter((query) => query !== undefined) }) as ReadonlyArray<Rows>
  let at = 0
  return queries.map((query) => (query === undefined ? [] : found[at++])) as ReadonlyArray<Rows> as Found
}

/** Runs a plan to its end at once, where statements are synchronous. */
export const runPlanSync = <A>(plan: Plan<A>, rowsOf: (query: Query) => Rows): A => {
  const carriedOut = (step: Step): Rows => {
    if (isReads(step)) return step.reads.map(rowsOf)
    if (!isChanges(step)) return rowsOf(step)
    for (const query of step) rowsOf(query)
    return []
  }
  let step = plan.next()
  while (step.done !== true) step = plan.next(carriedOut(step.value))
  return step.value
}
