/** What a starting server says, for people and for scripts. */
import { Effect } from "effect"
import type { Configuration } from "../config/configuration.ts"
import { show } from "../output/answer.ts"
import { serverVersion } from "../output/version.ts"
import type { Demonstration } from "./demo/demonstrate.ts"
import {
  type Profile,
  showBanner,
  showCluster,
  showConsole,
  showExecution,
  showInvitation,
  showListening,
  showMetrics,
  showOthers
} from "./demo/showDemo.ts"
import type { Listening } from "./listen/listening.ts"
import { databaseText } from "./openOracle.ts"
import type { ServeSettings } from "./serveSettings.ts"

/** A server that listens. */
export interface Started extends Pick<ServeSettings, "configuration" | "running"> {
  readonly listening: Listening
}

const profileOf = ({ profile = "specification" }: Configuration["service"]): Profile => profile

const document = ({ configuration, listening: { metrics, runtime, url }, running }: Started, demonstration: Demonstration | undefined) => ({
  url,
  runtime,
  version: serverVersion,
  network: configuration.service.network.name,
  profile: profileOf(configuration.service),
  chainId: configuration.service.network.chainId,
  ...(metrics === undefined ? {} : { metrics }),
  ...(configuration.edges === 1 ? {} : { edges: configuration.edges }),
  ...(configuration.cluster === undefined
    ? {}
    : { cluster: { servers: configuration.cluster.nats.servers, net: configuration.cluster.net } }),
  ...(running === undefined ? {} : { executors: running.executors }),
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

/** Says that the server listens: with `json` one document at the end, else a banner first and then where it is. */
export const announce = <E>(started: Started, json: boolean, demonstrating: Effect.Effect<Demonstration | undefined, E>) =>
  Effect.gen(function* () {
    const { configuration, listening } = started
    const { edges, service } = configuration
    const runtime = edges === 1 ? listening.runtime : `${listening.runtime}, ${edges} edges`
    if (!json) yield* showBanner({ ...listening, runtime }, databaseText(configuration))
    if (!json && configuration.cluster !== undefined) yield* showCluster(configuration.cluster, started.running)
    const demonstration = yield* demonstrating
    if (!json && listening.metrics !== undefined) yield* showMetrics(listening.metrics)
    if (!json && configuration.console) yield* showConsole(`${listening.url}/console`)
    if (json) yield* show({ document: document(started, demonstration), lines: () => [] }, true)
    else if (demonstration === undefined) yield* showListening(listening.url, profileOf(service))
    else {
      yield* showExecution(demonstration.run)
      yield* showOthers(demonstration.others)
      yield* showInvitation(demonstration.demo, profileOf(service))
    }
  })
