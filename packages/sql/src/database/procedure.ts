/** Transactions as values: a name and an input, so that whoever has the connection that writes can run them. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import type { Plan } from "./plan.ts"
import type { Dialect } from "./query.ts"
import { dialectOf, runPlan } from "./runPlan.ts"
import { isInTransaction, repeatedly, repeatedTransaction, type TriedTransaction } from "./transaction.ts"

/** One transaction: what it does depends on its input only, which is plain data. */
export interface Procedure<Input, A> {
  readonly name: string
  readonly plan: (dialect: Dialect, input: Input) => Plan<A>
}

/** Where a client runs its procedures, if not statement by statement in a transaction of its own. */
export type RunProcedures =
  /** In a durable transaction where the client's writes happen. */
  | { readonly elsewhere: (name: string, input: unknown) => Effect.Effect<unknown, SqlError> }
  /** Here, in a transaction that is tried once and knows how to send the statements of a plan. */
  | { readonly tryOnce: <A>(plan: () => Plan<A>) => Effect.Effect<TriedTransaction<A>> }

const runs = Symbol("runs procedures")

interface RunsProcedures {
  readonly [runs]?: RunProcedures
}

/** Makes the client run procedures otherwise. */
export const runningProcedures = (sql: SqlClient, run: RunProcedures): SqlClient => Object.assign(sql, { [runs]: run })

/**
 * Runs a procedure in a transaction: of the caller if there is one, else of its own. `inputOf` is called for every try on PostgreSQL, whose
 * transactions are repeated, `repeatable` ones also when they may have happened.
 */
export const runProcedure = <Input, A>(
  sql: SqlClient & RunsProcedures,
  { name, plan }: Procedure<Input, A>,
  inputOf: () => Input,
  repeatable: boolean
): Effect.Effect<A, SqlError> => {
  const here = Effect.suspend(() => {
    const input = inputOf()
    return runPlan(sql, (dialect) => plan(dialect, input))
  })
  const otherwise = sql[runs]
  if (otherwise === undefined) return repeatedTransaction(sql, here, repeatable)
  const alone =
    "elsewhere" in otherwise
      ? (Effect.suspend(() => otherwise.elsewhere(name, inputOf())) as Effect.Effect<A, SqlError>)
      : repeatedly(
          otherwise.tryOnce(() => plan(dialectOf(sql), inputOf())),
          repeatable
        )
  return Effect.flatMap(isInTransaction, (isInside) => (isInside ? here : alone))
}
