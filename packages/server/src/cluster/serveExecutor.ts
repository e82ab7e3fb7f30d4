/** `sibyl executor`: an executor in this process, until it is interrupted. */
import { Effect } from "effect"
import type { Configuration } from "../config/configuration.ts"
import { executorConfiguration } from "../config/executorConfiguration.ts"
import { show } from "../output/answer.ts"
import { serverVersion } from "../output/version.ts"
import { logged } from "../serve/observe.ts"
import { type ExecutorSettings, observedOf, openExecutor } from "./openExecutor.ts"

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
  Effect.flatMap(executorConfiguration(configuration), (settings) => logged(observedOf(settings), Effect.scoped(work(settings, json))))
