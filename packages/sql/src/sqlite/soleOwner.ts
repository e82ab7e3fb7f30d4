/** Work that is right only while no other process has the database open, such as undoing what a crash left behind. */
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import type { SqliteClient } from "./sqliteClient.ts"

/**
 * Runs `work` in one transaction if this connection is the only one to the file, and tells whether it was. Every
 * connection in WAL mode keeps a shared lock on the file for as long as it is open, and the system drops it with the
 * process, however that ends: so the exclusive lock is to be had exactly when nobody else is there. It goes back to a
 * shared one without a gap. Two processes that start at the same moment may both be told no, never both yes.
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
