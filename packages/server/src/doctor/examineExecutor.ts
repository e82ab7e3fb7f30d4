/** Examines everything that an executor needs, and changes nothing. */
import { Effect, Either } from "effect"
import { executorConfiguration } from "../config/executorConfiguration.ts"
import { type ConfigurationFlags, loadConfiguration } from "../config/loadConfiguration.ts"
import { configurationText } from "./configurationText.ts"
import { examineCluster } from "./examineCluster.ts"
import { examineCollector } from "./examineCollector.ts"
import { examineOpenFiles } from "./examineOpenFiles.ts"
import { examineRuntime } from "./examineRuntime.ts"
import { examineUpstreams } from "./examineUpstreams.ts"
import { examineWorkers } from "./examineWorkers.ts"
import { type Finding, finding } from "./finding.ts"

const notWithout = ["outbound", "workers", "nats"].map((check) => finding(check, "skipped", "not without a configuration"))

/** Every finding, in the order in which an executor needs the parts. `urls` are requested in addition. */
export const examineExecutor = (flags: ConfigurationFlags, urls: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.gen(function* () {
    const loaded = yield* Effect.either(Effect.flatMap(loadConfiguration(flags), executorConfiguration))
    const runtime = yield* examineRuntime
    if (Either.isLeft(loaded)) return [runtime, finding("configuration", "failed", loaded.left.message), ...notWithout]
    const configuration = loaded.right
    return [
      runtime,
      finding("configuration", "ok", configurationText(configuration)),
      ...(yield* examineUpstreams(configuration, urls)),
      yield* examineWorkers(configuration),
      ...(yield* examineCluster(configuration.cluster, "executor")),
      ...(yield* examineCollector(configuration)),
      yield* examineOpenFiles
    ]
  })
