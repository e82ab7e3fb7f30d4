/** One request to a program, as options of a command. */
import { Args, Options } from "@effect/cli"
import { Option } from "effect"
import type { RunProgramOptions } from "../../programs/runProgram.ts"

const text = (name: string, meaning: string): Options.Options<Option.Option<string>> =>
  Options.text(name).pipe(Options.withDescription(meaning), Options.optional)

/** The program, and what it is asked. */
export const requestOptions = {
  file: Args.text({ name: "file" }).pipe(Args.withDescription("the WebAssembly module, or a program's folder, which is compiled")),
  inputs: text("inputs", "the execution's inputs: text, or hex behind 0x"),
  tally: text("tally", "the module of the tally phase (default: the same)"),
  tallyInputs: text("tally-inputs", "the tally's inputs"),
  inputEncoding: text("input-encoding", "how inputs stand for bytes: auto, hex, utf8 or base64 (default: auto)"),
  lastResult: text("last-result", "what the program is shown as its last result: text, or hex behind 0x"),
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
  demo: Options.boolean("demo").pipe(Options.withDescription("the market simulator takes the price host's place"))
}

/** What was typed for {@link requestOptions}. */
interface GivenRequest {
  readonly file: string
  readonly inputs: Option.Option<string>
  readonly tally: Option.Option<string>
  readonly tallyInputs: Option.Option<string>
  readonly inputEncoding: Option.Option<string>
  readonly lastResult: Option.Option<string>
  readonly gasLimit: Option.Option<string>
  readonly tallyGasLimit: Option.Option<string>
  readonly time: Option.Option<string>
  readonly allowHost: ReadonlyArray<string>
  readonly overrideHost: ReadonlyArray<string>
  readonly proxy: ReadonlyArray<string>
  readonly demo: boolean
}

/** As the run takes it; a profile is asked for, or is not. */
export const requestOf = (given: GivenRequest, profile: boolean): RunProgramOptions => ({
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
  profile,
  record: undefined
})
