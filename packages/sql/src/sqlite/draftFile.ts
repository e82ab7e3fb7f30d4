/** A private file that gets its name when it is complete and on disk. */
import { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { closeSync, existsSync, fsyncSync, openSync, rmSync, statSync } from "node:fs"
import { basename, dirname } from "node:path"
import { putInPlace } from "./putInPlace.ts"
import { notMade } from "./fileFault.ts"

const ownerOnly = 0o600
/** What SQLite keeps beside a file. */
const besides = ["", "-wal", "-shm", "-journal"]

const taken = (target: string): SqlError => new SqlError({ cause: undefined, message: `${target} is there already` })

const homeless = (target: string): SqlError =>
  new SqlError({ cause: undefined, message: `there is no folder ${dirname(target)} for ${basename(target)}` })

const attempt = <A>(work: () => A): Effect.Effect<A, SqlError> =>
  Effect.try({ try: work, catch: (cause) => new SqlError({ cause, message: cause instanceof Error ? cause.message : String(cause) }) })

const flush = (path: string, flags: string): void => {
  const file = openSync(path, flags)
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/**
 * Makes an empty draft beside `target`, readable by its owner only, lets `fill` complete it, and gives it its name, without replacing a file.
 * Returns its size in bytes. Whatever fails, also a full disk, leaves neither the file nor the draft.
 */
export const draftFile = <E, R>(
  target: string,
  fill: (draft: string) => Effect.Effect<unknown, E, R>
): Effect.Effect<number, E | SqlError, R> => {
  const draft = `${target}.partial-${randomBytes(6).toString("hex")}`
  return Effect.gen(function* () {
    if (existsSync(target)) return yield* taken(target)
    if (!existsSync(dirname(target))) return yield* homeless(target)
    yield* Effect.try({
      try: () => closeSync(openSync(draft, "wx", ownerOnly)),
      catch: (cause) => new SqlError({ cause, message: notMade(target, cause).message })
    })
    yield* fill(draft)
    yield* attempt(() => flush(draft, "r+"))
    if (!(yield* attempt(() => putInPlace(draft, target)))) return yield* taken(target)
    // The name is durable with its folder.
    yield* attempt(() => flush(dirname(target), "r"))
    return statSync(target).size
  }).pipe(Effect.ensuring(Effect.sync(() => besides.forEach((end) => rmSync(draft + end, { force: true })))))
}
