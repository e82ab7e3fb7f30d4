/** Serves a configuration until it is interrupted. */
import { defaultLimits, type ExampleRequest } from "@sibyl/core"
import { examplePrograms, programIdOf } from "@sibyl/programs"
import { makeFolder } from "@sibyl/sql"
import type { OutboundOptions } from "@sibyl/vm/http"
import { Cause, Effect, Runtime } from "effect"
import type { Configuration } from "../config/configuration.ts"
import { given } from "../config/given.ts"
import { type Demo, prepareDemo } from "./demo/demoProject.ts"
import { demoUpstream, withMarket } from "./demo/demoUpstream.ts"
import { type DemoExecution, firstExecution } from "./demo/firstExecution.ts"
import { type OtherExecution, otherExecutions } from "./demo/otherExecutions.ts"
import { type Profile, showBanner, showExecution, showInvitation, showListening, showOthers } from "./demo/showDemo.ts"
import { docsAtRoot } from "./listen/docsAtRoot.ts"
import type { Listen, Listening } from "./listen/listening.ts"
import { openSibyl, type Sibyl } from "../service/openSibyl.ts"
import { show } from "../output/answer.ts"
import { CommandFailed, InvalidConfiguration } from "../output/failure.ts"
import { sqliteFileOf } from "../service/stores.ts"
import { serverVersion } from "../output/version.ts"

/** The options of `sibyl serve`. */
export interface ServeSettings {
  readonly configuration: Configuration
  readonly demo: boolean
  readonly live: boolean
  /** Whether to print one JSON document for scripts. */
  readonly json: boolean
}

const databaseText = ({ database }: Configuration): string => sqliteFileOf(database) ?? "PostgreSQL"

/** Why the service could not be opened: it validates the outbound options, the rest of the configuration is checked before. */
const cannotOpen = (configuration: Configuration, rejection: unknown): CommandFailed | InvalidConfiguration => {
  const cause = Runtime.isFiberFailure(rejection) ? Cause.squash(rejection[Runtime.FiberFailureCauseId]) : rejection
  const text = cause instanceof Error ? cause.message : String(cause)
  return cause instanceof TypeError
    ? new InvalidConfiguration({ field: "outbound", rule: "hosts and origins", message: `outbound: ${text}` })
    : new CommandFailed({ message: `cannot open ${databaseText(configuration)}: ${text}` })
}

/** The example programs with their inputs: the documentation shows the first that is deployed. Unbuilt ones have no id. */
const exampleRequests = Effect.promise(() =>
  Promise.all(examplePrograms.map(async ({ inputs, name }) => ({ execProgramId: await programIdOf(name), execInputs: inputs }))).catch(
    () => []
  )
)

const open = (configuration: Configuration, outbound: OutboundOptions, examples: ReadonlyArray<ExampleRequest>) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () =>
        openSibyl({
          ...configuration.service,
          database: configuration.database,
          tariff: configuration.tariff,
          outbound,
          serverVersion,
          exampleRequests: examples,
          ...given({
            databaseConnections: configuration.databaseConnections,
            workers: configuration.workers,
            logLevel: configuration.logLevel
          })
        }),
      catch: (rejection) => cannotOpen(configuration, rejection)
    }),
    (opened) => Effect.promise(() => opened.close())
  )

interface Demonstration {
  readonly demo: Demo
  readonly run: DemoExecution
  readonly others: ReadonlyArray<OtherExecution>
}

const profileOf = ({ profile = "specification" }: Configuration["service"]): Profile => profile

const document = ({ url, runtime }: Listening, { service }: Configuration, demonstration: Demonstration | undefined) => ({
  url,
  runtime,
  version: serverVersion,
  network: service.network.name,
  profile: profileOf(service),
  chainId: service.network.chainId,
  // The key stays in its file.
  ...(demonstration === undefined
    ? {}
    : {
        demo: {
          ...demonstration.demo,
          key: undefined,
          execution: demonstration.run,
          others: demonstration.others
        }
      })
})

const makeDataFolder = ({ data }: Configuration) =>
  Effect.try({
    try: () => makeFolder(data),
    catch: (cause) => new CommandFailed({ message: cause instanceof Error ? cause.message : String(cause) })
  })

/** Serves until it is interrupted; then running work is finished and everything is released. */
export const serve = (listen: Listen, settings: ServeSettings) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { configuration, json } = settings
      const { data, host, port, prefix, service } = configuration
      if (settings.demo || sqliteFileOf(configuration.database)?.startsWith(data) === true) {
        yield* makeDataFolder(configuration)
      }
      const upstream = settings.demo && !settings.live ? yield* demoUpstream : {}
      const oracle = yield* open(configuration, withMarket(configuration.outbound, upstream), yield* exampleRequests)
      const { bodyMs } = { ...defaultLimits, ...service.limits }
      const address = { host, port, prefix, bodyMs }
      const listening = yield* listen(docsAtRoot(oracle.service, prefix), address)
      // Runs first on the way out: while running work ends, health says so; only then does the server stop listening.
      yield* Effect.addFinalizer(() => Effect.promise(() => oracle.service.dispose()))
      if (!json) yield* showBanner(listening, databaseText(configuration))
      const demonstration = settings.demo ? yield* demonstrate(oracle, data, listening.url) : undefined
      if (json) yield* show({ document: document(listening, configuration, demonstration), lines: () => [] }, true)
      else if (demonstration === undefined) yield* showListening(listening.url, profileOf(service))
      else {
        yield* showExecution(demonstration.run)
        yield* showOthers(demonstration.others)
        yield* showInvitation(demonstration.demo, profileOf(service))
      }
      return yield* Effect.never
    })
  )

const demonstrate = (oracle: Sibyl, data: string, url: string) =>
  Effect.gen(function* () {
    const demo = yield* prepareDemo(oracle, data, url)
    const run = yield* firstExecution(demo)
    return { demo, run, others: yield* otherExecutions(demo) }
  })
