/** Runs a command's work on the database itself: reads the configuration, opens the database, prints the answer. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { Entropy } from "@sibyl/core"
import { Effect } from "effect"
import { type Answer, show } from "../../output/answer.ts"
import type { CommandFailed, InvalidConfiguration } from "../../output/failure.ts"
import { withNotes } from "../../output/notes.ts"
import { configurationFlags, type DatabaseOptions } from "../settingOptions.ts"

/** Runs `work`, whose modules are loaded only now, so that `--help` is quick. `makes`: the command may create a missing database. */
export const onDatabase = <E>(
  options: DatabaseOptions,
  { load, makes = false }: { readonly load: () => Promise<Effect.Effect<Answer, E, SqlClient | Entropy>>; readonly makes?: boolean }
): Effect.Effect<void, E | InvalidConfiguration | CommandFailed> =>
  Effect.gen(function* () {
    const [{ loadConfiguration }, { withDatabase }, work] = yield* Effect.promise(() =>
      Promise.all([import("../../config/loadConfiguration.ts"), import("../../admin/openStores.ts"), load()])
    )
    const configuration = yield* loadConfiguration(configurationFlags(options))
    yield* show(yield* withNotes(withDatabase(configuration, makes, work), options.json), options.json)
  })
