/** Transactions of PostgreSQL whose statements are sent before those ahead of them are answered. */
import { SqlError } from "@effect/sql/SqlError"
import { Effect, Exit, FiberId } from "effect"
import type { Pool, PoolClient, QueryResult } from "pg"
import { isChanges, isReads, type Plan, type Rows } from "../database/plan.ts"
import { numbered, type Query } from "../database/query.ts"
import type { TriedTransaction } from "../database/transaction.ts"

const failed = (message: string, cause: unknown): Exit.Exit<never, SqlError> => Exit.fail(new SqlError({ cause, message }))

const withoutValues = (text: string): Query => ({ text, values: [] })

/**
 * One transaction on a connection in pipeline mode. `BEGIN` leaves with the first statements, changes leave with what follows
 * them, and `COMMIT` with the last: a transaction takes a way to the database and back for each step that reads and one for the
 * rest, and its locks are held for as long. When a statement has failed, the database refuses the others, and what was to be the commit
 * rolls back.
 */
class PipelinedTransaction<A> {
  readonly #client: PoolClient
  readonly #plan: () => Plan<A>
  readonly #ended: (tried: TriedTransaction<A>) => void
  #unanswered = 0
  /** What is done when everything that was sent is answered. */
  #next: () => void = () => {}
  /** The first one: the others follow from it. */
  #failure: Exit.Exit<never, SqlError> | undefined
  #isCommitSent = false

  constructor(client: PoolClient, plan: () => Plan<A>, ended: (tried: TriedTransaction<A>) => void) {
    this.#client = client
    this.#plan = plan
    this.#ended = ended
  }

  begin(): void {
    this.#send(withoutValues("BEGIN"))
    this.#takeSteps(() => {
      const steps = this.#plan()
      this.#goOn(steps, [])
    })
  }

  /** The caller has left: what is not being committed is rolled back. */
  giveUp(): void {
    if (!this.#isCommitSent) this.#failure ??= Exit.interrupt(FiberId.none)
  }

  #send({ text, values }: Query, answered?: (result: QueryResult<object>) => void): void {
    this.#unanswered += 1
    this.#client.query(numbered(text), [...values], (error: Error | null | undefined, result: QueryResult<object>) => {
      this.#unanswered -= 1
      if (error === null || error === undefined) answered?.(result)
      else this.#failure ??= failed("Failed to execute statement", error)
      this.#whenAnswered()
    })
  }

  #whenAnswered(): void {
    if (this.#unanswered > 0) return
    if (this.#failure === undefined) this.#next()
    else this.#fail(this.#failure)
  }

  #fail(exit: Exit.Exit<never, SqlError>): void {
    const end = (): void => this.#ended({ exit, isCommitSent: this.#isCommitSent })
    if (this.#isCommitSent) end()
    else this.#client.query("ROLLBACK", end)
  }

  /** What the plan does by itself must not fail; what was sent before it did is rolled back. */
  #takeSteps(work: () => void): void {
    try {
      work()
    } catch (defect) {
      this.#failure ??= Exit.die(defect)
    }
    this.#whenAnswered()
  }

  #goOn(steps: Plan<A>, found: Rows): void {
    let step = steps.next(found)
    while (step.done !== true && isChanges(step.value)) {
      for (const query of step.value) this.#send(query)
      step = steps.next([])
    }
    if (step.done === true) this.#commit(step.value)
    else if (isReads(step.value)) this.#read(step.value.reads, (rows) => this.#goOn(steps, rows))
    else this.#read([step.value as Query], ([rows = []]) => this.#goOn(steps, rows))
  }

  #read(queries: ReadonlyArray<Query>, goOn: (rows: ReadonlyArray<Rows>) => void): void {
    const rows: Array<Rows> = []
    for (const [at, query] of queries.entries()) this.#send(query, (result) => void (rows[at] = result.rows))
    this.#next = () => this.#takeSteps(() => goOn(rows))
  }

  #commit(value: A): void {
    this.#isCommitSent = true
    this.#next = () => {}
    this.#send(withoutValues("COMMIT"), ({ command }) => {
      const exit = command === "COMMIT" ? Exit.succeed(value) : failed("The transaction was rolled back", undefined)
      this.#next = () => this.#ended({ exit, isCommitSent: true })
    })
  }
}

/** Tries the transaction of a plan once, on a connection of its own. Its pool has to be one whose connections are in pipeline mode. */
export const tryInPipeline = <A>(pool: Pool, plan: () => Plan<A>): Effect.Effect<TriedTransaction<A>> =>
  Effect.async((resume) => {
    let transaction: PipelinedTransaction<A> | undefined
    let isLeft = false
    let released = (): void => {}
    pool.connect((error, client, release) => {
      if (error !== undefined && error !== null) {
        resume(Effect.succeed({ exit: failed("Failed to acquire connection", error), isCommitSent: false }))
        // Who has left waits for this.
        return released()
      }
      if (client === undefined) return
      if (isLeft) {
        release()
        return released()
      }
      let broken: Error | undefined
      const onError = (cause: Error): void => void (broken = cause)
      client.on("error", onError)
      transaction = new PipelinedTransaction(client, plan, (tried) => {
        client.off("error", onError)
        release(broken)
        resume(Effect.succeed(tried))
        released()
      })
      transaction.begin()
    })
    return Effect.async<void>((done) => {
      isLeft = true
      released = () => done(Effect.void)
      transaction?.giveUp()
    })
  })
