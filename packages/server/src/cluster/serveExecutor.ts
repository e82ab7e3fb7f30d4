/** `sibyl executor`: an executor in this process, until it is interrupted. */
import { Effect } from "effect"
import type { Configuration } from "../config/configuration.ts"
import { show } from "../output/answer.ts"
import { InvalidConfiguration } from "../output/failure.ts"
import { serverVersion } from "../output/version.ts"
import { logged } from "../serve/observe.ts"
import { type ExecutorSettings, observedOf, openExecutor } from "./openExecutor.ts"

/** Settings of what an executor must not have: it is the part of a cluster that runs other people's programs. */
const forbidden = ["database", "databaseFile", "databaseConnections"] as const

const checked = (configuration: Configuration) =>
  Effect.gen(function* () {
    const { cluster, settings } = configuration
    const field = forbidden.find((name) => settings.origins.get(name) !== "default")
    if (field !== undefined) {
      const rule = "absent where an executor runs"
      return yield* new InvalidConfiguration({ field, rule, message: `${field} must be ${rule}: it has no database` })
    }
    if (cluster === undefined) {
      const rule = "given: an executor gets its work over NATS"
      return yield* new InvalidConfiguration({ field: "cluster", rule, message: `cluster must be ${rule} (--cluster nats://HOST:PORT)` })
    }
    const { access, own } = configuration.metrics
    if (access !== undefined && access !== "off" && own === undefined) {
      const rule = "given: an executor serves nothing beside which metrics could stand"
      return yield* new InvalidConfiguration({ field: "metrics.port", rule, message: `metrics.port must be ${rule}` })
    }
    return { ...configuration, cluster }
  })

const work = (settings: ExecutorSettings, json: boolean) =>
  Effect.gen(function* () {
    const { nats, net, zone } = settings.cluster
    const { id, metrics } = yield* openExecutor(settings)
    const document = {
      executor: id,
      net,
      zone: zone === "" ? null : zone,
      servers: nats.servers,
      version: serverVersion,
      ...(metrics === undefined ? {} : { metrics })
    }
    const place = zone === "" ? "" : `, zone ${zone}`
    const lines = [
      `Sibyl ${serverVersion}: executor ${id} of net ${net}${place}, work from ${nats.servers.join(", ")}${metrics === undefined ? "" : `, metrics at ${metrics}`}`
    ]
    yield* show({ document, lines: () => lines }, json)
    return yield* Effect.never
  })

/** Works until it is interrupted; then running work is finished. With `json` one line says that it works. */
export const serveExecutor = (configuration: Configuration, json: boolean) =>
  Effect.flatMap(checked(configuration), (settings) => logged(observedOf(settings), Effect.scoped(work(settings, json))))
