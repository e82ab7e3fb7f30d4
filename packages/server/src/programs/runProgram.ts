/** Runs a program once as a server would: the configuration's limits, prices and outbound policy, stores in memory. */
import { type DataProxyInput } from "@sibyl/core"
import { proxyKeyOf } from "@sibyl/core/internal"
import type { OutboundOptions } from "@sibyl/vm/http"
import type { ProgramOutcome, ProgramRun } from "@sibyl/devkit"
import { randomBytes } from "node:crypto"
import { Effect, Option } from "effect"
import type { Configuration } from "../config/configuration.ts"
import { demoUpstream, withMarket } from "../serve/demo/demoUpstream.ts"
import { amountRule, readAmount } from "../input/amount.ts"
import { type Asked, asked, refusedValue } from "../input/asked.ts"
import { momentMs, momentRule } from "../input/moment.ts"
import { benchOptionsOf, runRefused, scopedBench } from "./benchSettings.ts"
import { recordedCase } from "./goldenCase.ts"
import { moduleAt } from "./moduleAt.ts"
import { readBytes, writeProgramFile } from "./programFiles.ts"
import { resultBytes } from "./shownResult.ts"

/** The options of `sibyl run`, as typed. */
export interface RunProgramOptions {
  /** A module, or the folder of a program. */
  readonly file: string
  readonly tally: string | undefined
  readonly inputs: string | undefined
  readonly tallyInputs: string | undefined
  readonly inputEncoding: string | undefined
  readonly lastResult: string | undefined
  readonly gasLimit: string | undefined
  readonly tallyGasLimit: string | undefined
  readonly time: string | undefined
  readonly allowHosts: ReadonlyArray<string>
  /** `host=origin`. */
  readonly overrideHosts: ReadonlyArray<string>
  /** `key=fee`. */
  readonly proxies: ReadonlyArray<string>
  /** Whether the market simulator replaces the price host. */
  readonly demo: boolean
  /** Whether to tell where the gas went. */
  readonly profile: boolean
  /** The file to save the run to as a golden case. */
  readonly record: string | undefined
}

/** A request that was run, and what came of it. */
export interface FinishedRun {
  readonly request: ProgramRun
  readonly outcome: ProgramOutcome
}

const orAbsent = <A>(text: string | undefined, read: (text: string) => Asked<A>) =>
  text === undefined ? Effect.succeed(undefined) : Effect.flatten(Effect.succeed(read(text)))

const amount = (field: string, text: string | undefined) => orAbsent(text, (given) => asked(field, amountRule, given, readAmount))

const pairOf = (text: string): Option.Option<readonly [name: string, value: string]> => {
  const at = text.indexOf("=")
  return at < 1 ? Option.none() : Option.some([text.slice(0, at), text.slice(at + 1)])
}

const proxyOf = (text: string): Option.Option<DataProxyInput> =>
  Option.flatMap(pairOf(text), ([key, fee]) =>
    Option.map(Option.all([Option.fromNullable(proxyKeyOf(key)), readAmount(fee)]), ([publicKey, feeCredits]) => ({
      publicKey,
      feeCredits,
      name: "a data proxy",
      active: true
    }))
  )

const proxyRule = "a data proxy's public key and its fee, as key=fee"

const proxiesOf = ({ proxies }: RunProgramOptions) => Effect.forEach(proxies, (text) => asked("--proxy", proxyRule, text, proxyOf))

/** Host overrides of the command line take precedence over the configuration, and that over the simulated market. */
const outboundOf = ({ allowHosts, demo, overrideHosts }: RunProgramOptions, configured: OutboundOptions) =>
  Effect.gen(function* () {
    const market: OutboundOptions = demo ? yield* demoUpstream : {}
    const rule = "a host and the origin that stands in for it, such as example.com=http://127.0.0.1:8080"
    const overrides = yield* Effect.forEach(overrideHosts, (text) => asked("--override-host", rule, text, pairOf))
    return {
      ...(allowHosts.length === 0 ? {} : { allowHosts }),
      hostOverrides: { ...withMarket(configured, market).hostOverrides, ...Object.fromEntries(overrides) }
    }
  })

const lastResultOf = (text: string | undefined) =>
  orAbsent(text, (given) => asked("--last-result", "text, or hex behind 0x", given, (value) => Option.fromNullable(resultBytes(value))))

const requestOf = (options: RunProgramOptions) =>
  Effect.gen(function* () {
    const { program, symbols } = yield* moduleAt(options.file, options.profile)
    const tallyProgram = options.tally === undefined ? undefined : yield* readBytes(options.tally)
    const exec = yield* amount("--gas-limit", options.gasLimit)
    const tally = yield* amount("--tally-gas-limit", options.tallyGasLimit)
    const last = yield* lastResultOf(options.lastResult)
    const clockMs = yield* orAbsent(options.time, (given) => asked("--time", momentRule, given, (text) => momentMs(text, Date.now())))
    const run: ProgramRun = {
      program,
      symbols,
      tallyProgram,
      execInputs: options.inputs,
      tallyInputs: options.tallyInputs,
      inputEncoding: options.inputEncoding,
      gasLimits: { ...(exec === undefined ? {} : { exec }), ...(tally === undefined ? {} : { tally }) },
      lastResult: last === undefined ? undefined : { result: last },
      clockMs
    }
    return run
  })

const secureEntropy = Effect.sync(() => new Uint8Array(randomBytes(32)))

/** Runs the program. */
export const runProgram = (options: RunProgramOptions, configuration: Configuration) =>
  Effect.scoped(
    Effect.gen(function* () {
      if (options.record !== undefined && !options.record.endsWith(".json")) {
        return yield* refusedValue("--record", "a file that ends in .json", options.record)
      }
      const request = yield* requestOf(options)
      const proxies = yield* proxiesOf(options)
      const settings = benchOptionsOf(configuration, yield* outboundOf(options, configuration.outbound))
      const bench = yield* scopedBench({ ...settings, proxies, entropy: secureEntropy, profile: options.profile })
      const startedMs = Date.now()
      const outcome = yield* Effect.tryPromise({ try: () => bench.run(request), catch: runRefused })
      if (options.record !== undefined) {
        const whole = recordedCase(request, outcome, request.clockMs ?? startedMs)
        yield* writeProgramFile(options.record, `${JSON.stringify(whole, undefined, 2)}\n`)
      }
      const run: FinishedRun = { request, outcome }
      return run
    })
  )
