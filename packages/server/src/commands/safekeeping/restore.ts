/** `sibyl restore FILE`: restores a backup into a new database, or checks that it could be. */
import { Args, Command, Options } from "@effect/cli"
import { Effect, Either, Option, Redacted } from "effect"
import { database as databaseKind, readValue, refusalText } from "../../config/settingKind.ts"
import { show } from "../../output/answer.ts"
import { CommandFailed, UsageError } from "../../output/failure.ts"
import { endProgress, progressOf } from "../../output/progress.ts"
import { configurationFlags, databaseOptions } from "../settingOptions.ts"

const file = Args.text({ name: "file" }).pipe(Args.withDescription("a file of sibyl backup"))

const to = Options.text("to").pipe(
  Options.withPseudoName("DATABASE"),
  Options.withDescription(
    "where to: sqlite:PATH that is not there yet, or an empty PostgreSQL (default: the configured database); with --check, a PostgreSQL beside which to try a backup of one"
  ),
  Options.optional
)

const check = Options.boolean("check").pipe(
  Options.withDescription("restore into a temporary place, audit the books of the copy, and remove it again")
)

/** What is no address would be the name of a file: a misspelled one of PostgreSQL, with its password. */
const targetOf = (text: string): Either.Either<Redacted.Redacted, UsageError> =>
  Either.mapLeft(
    readValue(databaseKind, text),
    (refused) => new UsageError({ field: "--to", rule: refused.rule, message: refusalText("--to", refused) })
  )

/** A SQLite backup is tried in a temporary folder, and one of PostgreSQL in no file. */
const checksNoFile = (target: Redacted.Redacted): Either.Either<Redacted.Redacted, UsageError> => {
  if (Redacted.value(target).startsWith("postgres")) return Either.right(target)
  const message = "--check takes no --to sqlite:PATH: it restores into a temporary folder, below TMPDIR"
  return Either.left(new UsageError({ field: "--to", rule: "given without --check", message }))
}

/** The command. */
export const restoreCommand = Command.make("restore", { file, to, check, ...databaseOptions }, ({ check, file, json, to, ...flags }) =>
  Effect.gen(function* () {
    const [{ loadConfiguration }, { restoreBackup }] = yield* Effect.promise(() =>
      Promise.all([import("../../config/loadConfiguration.ts"), import("../../backups/restoreBackup.ts")])
    )
    const { database } = yield* loadConfiguration(configurationFlags(flags))
    const target = yield* Option.match(to, {
      onNone: () => Either.right(database),
      onSome: (text) => Either.flatMap(targetOf(text), (named) => (check ? checksNoFile(named) : Either.right(named)))
    })
    const restored = restoreBackup(file, { to: target, isNamed: Option.isSome(to), check, progress: progressOf(json) })
    const { answer, sound } = yield* Effect.ensuring(
      restored,
      Effect.sync(() => endProgress(json))
    )
    yield* show(answer, json)
    if (!sound) return yield* new CommandFailed({ message: "the books of the backup do not hold" })
  })
).pipe(Command.withDescription("Restore a backup into a new database and audit its books, or only check that."))
