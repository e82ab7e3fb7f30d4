/** `sibyl backup FILE`: a copy of the database in one file, also while servers run on it. */
import { Args, Command, Options } from "@effect/cli"
import { Effect } from "effect"
import { show } from "../../output/answer.ts"
import { endProgress, progressOf } from "../../output/progress.ts"
import { configurationFlags, databaseOptions } from "../settingOptions.ts"

const file = Args.text({ name: "file" }).pipe(Args.withDescription("the new file; one that is there is not replaced"))

const withSigningKey = Options.boolean("with-signing-key").pipe(
  Options.withDescription("also copy the secrets of the signing keys (default: without; keep them with sibyl signing-key export)")
)

/** The command. */
export const backupCommand = Command.make(
  "backup",
  { file, "with-signing-key": withSigningKey, ...databaseOptions },
  ({ file, json, "with-signing-key": withSecrets, ...flags }) =>
    Effect.gen(function* () {
      const [{ loadConfiguration }, { takeBackup }] = yield* Effect.promise(() =>
        Promise.all([import("../../config/loadConfiguration.ts"), import("../../backups/takeBackup.ts")])
      )
      const configuration = yield* loadConfiguration(configurationFlags(flags))
      const taken = takeBackup(configuration, file, { withSigningKey: withSecrets, progress: progressOf(json) })
      yield* show(
        yield* Effect.ensuring(
          taken,
          Effect.sync(() => endProgress(json))
        ),
        json
      )
    })
).pipe(Command.withDescription("Copy the database into a file that only its owner can read, also beside running servers."))
