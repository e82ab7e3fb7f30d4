/** A folder for what a restoration needs for a while: below `TMPDIR`, for its owner alone, and removed again. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { CommandFailed } from "../output/failure.ts"

/** Does something in such a folder. */
export const inTemporaryFolder = <A, E, R>(use: (folder: string) => Effect.Effect<A, E, R>): Effect.Effect<A, CommandFailed | E, R> =>
  Effect.acquireUseRelease(
    Effect.tryPromise({
      try: () => mkdtemp(join(tmpdir(), "sibyl-restore-")),
      catch: (cause) =>
        new CommandFailed({ message: `cannot restore: no folder can be made in ${tmpdir()}, which TMPDIR names: ${String(cause)}` })
    }),
    use,
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
  )
