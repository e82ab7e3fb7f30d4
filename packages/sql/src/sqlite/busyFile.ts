/** Waits for another process's lock on the file for a bounded time, without blocking the event loop. */
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { sqliteCodeOf, sqliteCodes } from "../database/resultCode.ts"

/** Whether another process holds the lock that a statement needs. */
const isBusy = ({ cause }: SqlError): boolean => sqliteCodeOf(cause) === sqliteCodes.busy

/** The pauses between tries double from 2 ms up to this. */
const longestPauseMs = 50

/** After this time without a locked statement, the next lock counts as a new one. */
const newLockMs = 1_000

/**
 * Tracks the locks of other processes. The driver itself never waits, because it would block the thread. A lock is waited for `patienceMs`
 * in total, over all callers: once it has lasted that long, later callers try once and are refused, so that waits behind one lock do not
 * add up.
 */
export class BusyFile {
  readonly #patienceMs: number
  #sinceMs = 0
  #lastMs = Number.NEGATIVE_INFINITY

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs
  }

  /** Retries while another process has the lock, until the patience is exhausted. */
  patiently<A, R>(attempt: Effect.Effect<A, SqlError, R>): Effect.Effect<A, SqlError, R> {
    const again = (tries: number): Effect.Effect<A, SqlError, R> =>
      Effect.zipRight(
        Effect.sleep(Math.min(longestPauseMs, 2 ** (tries + 1))),
        Effect.catchAll(
          Effect.tap(attempt, () => Effect.sync(() => this.#hadTheLock())),
          (error) => this.#whenBusy(error, () => again(tries + 1))
        )
      )
    return Effect.catchAll(attempt, (error) => this.#whenBusy(error, () => again(0)))
  }

  /** The same for a statement that takes the write lock: its success shows that no other process has held the lock all the time. */
  patientlyLocking<A, R>(attempt: Effect.Effect<A, SqlError, R>): Effect.Effect<A, SqlError, R> {
    return Effect.tap(this.patiently(attempt), () => Effect.sync(() => this.#hadTheLock()))
  }

  #whenBusy<A, R>(error: SqlError, again: () => Effect.Effect<A, SqlError, R>): Effect.Effect<A, SqlError, R> {
    return isBusy(error) && !this.#isOutOfPatience(performance.now()) ? Effect.suspend(again) : error
  }

  #hadTheLock(): void {
    this.#lastMs = Number.NEGATIVE_INFINITY
  }

  #isOutOfPatience(nowMs: number): boolean {
    if (nowMs - this.#lastMs > newLockMs) this.#sinceMs = nowMs
    this.#lastMs = nowMs
    return nowMs - this.#sinceMs >= this.#patienceMs
  }
}
