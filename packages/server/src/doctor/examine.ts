/** Examines everything that a server needs, and changes nothing. */
import { Effect, Either } from "effect"
import type { Configuration } from "../config/configuration.ts"
import { type ConfigurationFlags, loadConfiguration } from "../config/loadConfiguration.ts"
import { configurationText } from "./configurationText.ts"
import { examineCluster } from "./examineCluster.ts"
import { examineCollector } from "./examineCollector.ts"
import { examineDatabase } from "./examineDatabase.ts"
import { examineOpenFiles } from "./examineOpenFiles.ts"
import { examinePort } from "./examinePort.ts"
import { examineRuntime } from "./examineRuntime.ts"
import { examineUpstreams } from "./examineUpstreams.ts"
import { examineWorkers } from "./examineWorkers.ts"
import { type Finding, finding } from "./finding.ts"

const notWithout = ["database", "outbound", "workers", "port"].map((check) => finding(check, "skipped", "not without a configuration"))

/** On executors elsewhere, or on threads of this machine. */
const whereProgramsRun = (configuration: Configuration): Effect.Effect<ReadonlyArray<Finding>> =>
  configuration.cluster === undefined
    ? Effect.map(examineWorkers(configuration), (workers) => [workers])
    : examineCluster(configuration.cluster)

/** Every finding, in the order in which a server needs the parts. `urls` are requested in addition. */
export const examine = (flags: ConfigurationFlags, urls: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.gen(function* () {
    const loaded = yield* Effect.either(loadConfiguration(flags))
    const runtime = yield* examineRuntime
    if (Either.isLeft(loaded)) return [runtime, finding("configuration", "failed", loaded.left.message), ...notWithout]
    const configuration = loaded.right
    return [
      runtime,
      finding("configuration", "ok", configurationText(configuration)),
      ...(yield* examineDatabase(configuration)),
      ...(yield* examineUpstreams(configuration, urls)),
      ...(yield* whereProgramsRun(configuration)),
      ...(yield* examineCollector(configuration)),
      yield* examineOpenFiles,
      yield* examinePort(configuration)
    ]
  })
