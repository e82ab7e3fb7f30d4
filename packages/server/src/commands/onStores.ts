/** Runs a command's work on the stores: reads the configuration, opens the database, prints the answer. */
import type { SqlStores } from "@sibyl/sql"
import { Effect } from "effect"
import type { Configuration } from "../config/configuration.ts"
import { type Answer, show } from "../output/answer.ts"
import type { CommandFailed, InvalidConfiguration } from "../output/failure.ts"
import { withNotes } from "../output/notes.ts"
import { configurationFlags, type DatabaseOptions } from "./settingOptions.ts"

/** The work of a command, given the configuration. */
export type StoreWork<E> = (configuration: Configuration) => Effect.Effect<Answer, E, SqlStores>

/**
 * Runs `work` on the stores of the configuration. Large modules are loaded only now, so that `--help` is quick.
 * `makes`: the command may create a missing database.
 */
export const onStores = <E>(
  options: DatabaseOptions,
  { load, makes = false }: { readonly load: () => Promise<StoreWork<E>>; readonly makes?: boolean }
): Effect.Effect<void, E | InvalidConfiguration | CommandFailed> =>
  Effect.gen(function* () {
    const [{ loadConfiguration }, { missingFile, withStores }, work] = yield* Effect.promise(() =>
      Promise.all([import("../config/loadConfiguration.ts"), import("../admin/openStores.ts"), load()])
    )
    const configuration = yield* loadConfiguration(configurationFlags(options))
    const made = missingFile(configuration)
    const answer = yield* withNotes(withStores(configuration, makes, work(configuration)), options.json)
    // Printed so that an operator in the wrong folder notices it.
    if (made !== undefined && !options.json) process.stderr.write(`a new database: ${made}\n`)
    yield* show(answer, options.json)
  })
