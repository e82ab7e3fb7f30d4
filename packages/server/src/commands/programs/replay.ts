/** `sibyl replay`: a recorded run once more, offline. */
import { Args, Command } from "@effect/cli"
import { Effect } from "effect"
import { show } from "../../output/answer.ts"
import { CommandFailed } from "../../output/failure.ts"
import { jsonOption } from "../settingOptions.ts"

const options = {
  file: Args.text({ name: "file" }).pipe(
    Args.withDescription("the recording, as GET /executions/{id}/recording answers it; - reads the standard input")
  ),
  json: jsonOption
}

/** The command. */
export const replayCommand = Command.make("replay", options, ({ file, json }) =>
  Effect.gen(function* () {
    const [{ isFaithful, replayFile }, { replayAnswer }] = yield* Effect.promise(() =>
      Promise.all([import("../../replay/replayFile.ts"), import("../../replay/replayAnswer.ts")])
    )
    const report = yield* replayFile(file)
    yield* show(replayAnswer(report), json)
    if (!isFaithful(report)) return yield* new CommandFailed({ message: "the run does not come out as it was recorded, see above" })
  })
).pipe(Command.withDescription("Run a recorded execution again, offline, and compare result, gas, ids and signature."))
