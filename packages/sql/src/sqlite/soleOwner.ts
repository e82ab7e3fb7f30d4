/** Work that is correct only while no other process has the database open, such as undoing what a crash left behind. */
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import type { SqliteClient } from "./sqliteClient.ts"

/**
 * Runs `work` in one transaction if this is the only connection to the file, and returns whether it was. In WAL mode every connection holds
 * a shared lock while the file is open, and the system releases it with the process, however that ends: so the exclusive lock is available
 * exactly if nobody else has the file open. It is downgraded to a shared one without a gap. Two processes that start at the same moment may
 * both be refused, but never both succeed.
 */
export const whenSoleOwner = <R>(
  { client, exec, execNow }: SqliteClient,
  work: Effect.Effect<void, SqlError, R>
): Effect.Effect<boolean, SqlError, R> => {
  const tryAlone = Effect.isSuccess(execNow("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT"))
  const share = exec("PRAGMA locking_mode = NORMAL; BEGIN IMMEDIATE; COMMIT")
  return Effect.acquireUseRelease(
    tryAlone,
    (alone) => (alone ? Effect.as(client.withTransaction(work), true) : Effect.succeed(false)),
    () => Effect.orDie(share)
  )
}
