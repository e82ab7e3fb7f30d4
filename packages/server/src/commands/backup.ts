/** `sibyl backup FILE`: a copy of the embedded database, also while a server runs on it. */
import { Args, Command } from "@effect/cli"
import { Effect } from "effect"
import { show } from "../output/answer.ts"
import { configurationFlags, databaseOptions } from "./settingOptions.ts"

const file = Args.text({ name: "file" }).pipe(Args.withDescription("the new file; one that is there is not replaced"))

/** The command. */
export const backupCommand = Command.make("backup", { file, ...databaseOptions }, ({ file, json, ...flags }) =>
  Effect.gen(function* () {
    const [{ loadConfiguration }, { backUp }] = yield* Effect.promise(() =>
      Promise.all([import("../config/loadConfiguration.ts"), import("../admin/backup.ts")])
    )
    yield* show(yield* backUp(yield* loadConfiguration(configurationFlags(flags)), file), json)
  })
).pipe(Command.withDescription("Copy the embedded database into a file that only its owner can read, also beside a server."))
