/** `sibyl new`: the folder of a new program. */
import { Args, Command } from "@effect/cli"
import { Effect } from "effect"
import { show } from "../../output/answer.ts"
import { jsonOption } from "../settingOptions.ts"

/** The command. */
export const newCommand = Command.make(
  "new",
  {
    folder: Args.text({ name: "folder" }).pipe(Args.withDescription("the folder to make; its name is the program's")),
    json: jsonOption
  },
  ({ folder, json }) =>
    Effect.gen(function* () {
      const { scaffoldProgram } = yield* Effect.promise(() => import("../../programs/scaffoldProgram.ts"))
      yield* show(yield* scaffoldProgram(folder), json)
    })
).pipe(Command.withDescription("Make the folder of a new program, with golden cases."))
