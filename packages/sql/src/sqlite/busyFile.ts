/** Waits for another process's lock on the file for a bounded time, without blocking the event loop. */
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { sqliteCodeOf, sqliteCodes } from "../database/resultCode.ts"
import { Patience, pauseMs } from "./connection/patience.ts"

/** Whether another process holds the lock that a statement needs. */
const isBusy = ({ cause }: SqlError): boolean => sqliteCodeOf(cause) === sqliteCodes.busy

/** Waits behind the locks of other processes. The driver itself never waits, because it would block the thread. */
export class BusyFile {
  readonly #patience: Patience

  constructor(patienceMs: number) {
    this.#patience = new Patience(patienceMs)
  }

  /** Retries while another process has the lock, until the patience is exhausted. */
  patiently<A, R>(attempt: Effect.Effect<A, SqlError, R>): Effect.Effect<A, SqlError, R> {
    const again = (tries: number): Effect.Effect<A, SqlError, R> =>
      Effect.zipRight(
        Effect.sleep(pauseMs(tries)),
        Effect.catchAll(
          Effect.tap(attempt, () => Effect.sync(() => this.#patience.hadTheLock())),
          (error) => this.#whenBusy(error, () => again(tries + 1))
        )
      )
    return Effect.catchAll(attempt, (error) => this.#whenBusy(error, () => again(0)))
  }

  /** The same for a statement that takes the write lock: its success shows that no other process has held the lock all the time. */
  patientlyLocking<A, R>(attempt: Effect.Effect<A, SqlError, R>): Effect.Effect<A, SqlError, R> {
    return Effect.tap(this.patiently(attempt), () => Effect.sync(() => this.#patience.hadTheLock()))
  }

  #whenBusy<A, R>(error: SqlError, again: () => Effect.Effect<A, SqlError, R>): Effect.Effect<A, SqlError, R> {
    return isBusy(error) && !this.#patience.isOver(performance.now()) ? Effect.suspend(again) : error
  }
}
