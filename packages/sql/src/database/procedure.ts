/** Transactions as values: a name and an input, so that whoever has the connection that writes can run them. */
import { type SqlClient, TransactionConnection } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Option } from "effect"
import type { Plan } from "./plan.ts"
import type { Dialect } from "./query.ts"
import { runPlan } from "./runPlan.ts"
import { repeatedTransaction } from "./transaction.ts"

/** One transaction: what it does depends on its input only, which is plain data. */
export interface Procedure<Input, A> {
  readonly name: string
  readonly plan: (dialect: Dialect, input: Input) => Plan<A>
}

/** Runs a procedure in a durable transaction where the client's writes happen. */
export type RunProcedure = (name: string, input: unknown) => Effect.Effect<unknown, SqlError>

const runs = Symbol("runs procedures")

interface RunsProcedures {
  readonly [runs]?: RunProcedure
}

/** Makes the client run procedures elsewhere. */
export const runningElsewhere = (sql: SqlClient, run: RunProcedure): SqlClient => Object.assign(sql, { [runs]: run })

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
  const elsewhere = sql[runs]
  if (elsewhere === undefined) return repeatedTransaction(sql, here, repeatable)
  return Effect.flatMap(Effect.serviceOption(TransactionConnection), (open) =>
    Option.isSome(open) ? here : (Effect.suspend(() => elsewhere(name, inputOf())) as Effect.Effect<A, SqlError>)
  )
}
