/** `sibyl run`: one request to a program in a file, on the VM of the server. */
import { Args, Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { show } from "../output/answer.ts"
import { CommandFailed } from "../output/failure.ts"
import { encodings } from "../programs/shownResult.ts"
import { anySetting, configurationFlags, jsonOption } from "./settingOptions.ts"

const text = (name: string, meaning: string): Options.Options<Option.Option<string>> =>
  Options.text(name).pipe(Options.withDescription(meaning), Options.optional)

const options = {
  file: Args.text({ name: "file" }).pipe(Args.withDescription("the WebAssembly module")),
  inputs: text("inputs", "the execution's inputs: text, or hex behind 0x"),
  tally: text("tally", "the module of the tally phase (default: the same)"),
  tallyInputs: text("tally-inputs", "the tally's inputs"),
  inputEncoding: text("input-encoding", "how inputs stand for bytes: auto, hex, utf8 or base64 (default: auto)"),
  lastResult: text("last-result", "what the program is shown as its last result: text, or hex behind 0x"),
  encoding: Options.choice("encoding", encodings).pipe(
    Options.withDescription("how the result is shown (default: as text where it is some, else in hex)"),
    Options.optional
  ),
  gasLimit: text("gas-limit", "the gas limit of the execution phase"),
  tallyGasLimit: text("tally-gas-limit", "the gas limit of the tally phase"),
  time: text("time", "what the program's clock shows: a UTC date, a time or a span from now (default: the time)"),
  allowHost: Options.text("allow-host").pipe(
    Options.withDescription("a host that it may reach, exact or *.example.com; may be repeated (default: the setting)"),
    Options.repeated
  ),
  overrideHost: Options.text("override-host").pipe(
    Options.withPseudoName("HOST=ORIGIN"),
    Options.withDescription("an origin that stands in for a host; may be repeated"),
    Options.repeated
  ),
  proxy: Options.text("proxy").pipe(
    Options.withPseudoName("KEY=FEE"),
    Options.withDescription("a data proxy that is registered, and its fee in credits; may be repeated"),
    Options.repeated
  ),
  demo: Options.boolean("demo").pipe(Options.withDescription("the market simulator takes the price host's place")),
  record: text("record", "also keep the run, its upstream's answers among it, as a golden case in this file"),
  ...anySetting,
  json: jsonOption
}

/** The command. */
export const runCommand = Command.make("run", options, (given) =>
  Effect.gen(function* () {
    const [{ loadConfiguration }, { runProgram }, { outcomeAnswer }, { tallyRefusal }] = yield* Effect.promise(() =>
      Promise.all([
        import("../config/loadConfiguration.ts"),
        import("../programs/runProgram.ts"),
        import("../programs/outcomeAnswer.ts"),
        import("../programs/tallyRefusal.ts")
      ])
    )
    const configuration = yield* loadConfiguration(configurationFlags({ config: given.config, set: given.set }))
    const outcome = yield* runProgram(
      {
        file: given.file,
        tally: Option.getOrUndefined(given.tally),
        inputs: Option.getOrUndefined(given.inputs),
        tallyInputs: Option.getOrUndefined(given.tallyInputs),
        inputEncoding: Option.getOrUndefined(given.inputEncoding),
        lastResult: Option.getOrUndefined(given.lastResult),
        gasLimit: Option.getOrUndefined(given.gasLimit),
        tallyGasLimit: Option.getOrUndefined(given.tallyGasLimit),
        time: Option.getOrUndefined(given.time),
        allowHosts: given.allowHost,
        overrideHosts: given.overrideHost,
        proxies: given.proxy,
        demo: given.demo,
        record: Option.getOrUndefined(given.record)
      },
      configuration
    )
    yield* show(outcomeAnswer(outcome, Option.getOrUndefined(given.encoding)), given.json)
    if (outcome.exitCode !== 0) {
      const tally = Option.getOrElse(given.tally, () => given.file)
      const why = yield* tallyRefusal(outcome, tally, configuration.service.limits ?? {})
      const what = why === undefined ? "the program ended" : "the tally phase was refused"
      const reason = why === undefined ? "" : `: ${why}`
      return yield* new CommandFailed({ message: `${what} with exit code ${outcome.exitCode}${reason}` })
    }
  })
).pipe(Command.withDescription("Run a program once, on the engine of the server; nothing is stored."))
