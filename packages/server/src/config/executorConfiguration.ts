/** What the configuration of an executor must have, and must not. */
import { Effect } from "effect"
import type { Configuration } from "./configuration.ts"
import { InvalidConfiguration } from "../output/failure.ts"

/** Settings of what an executor must not have: it is the part of a cluster that runs other people's programs. */
const forbidden = ["database", "databaseFile", "databaseConnections"] as const

/** What an executor reads. A file or an environment may be shared with a server, so there the others are let be. */
const used = /^(?:workers|isolation|workerMemoryMib|log(?:Level|Format)|(?:cluster|outbound|otlp|metrics|logLevels)\..+)$/

/** A setting that somebody has typed for an executor, which would ignore it. */
const ignoredOf = ({ settings: { origins } }: Configuration): InvalidConfiguration | undefined => {
  const field = [...origins].find(([name, origin]) => origin === "flag" && !used.test(name))?.[0]
  if (field === undefined) return undefined
  const rule = "absent from the command line of an executor, which does not use it"
  return new InvalidConfiguration({ field, rule, message: `${field} must be ${rule}` })
}

/** The configuration of an executor; fails where it is none of one. */
export const executorConfiguration = (configuration: Configuration) =>
  Effect.gen(function* () {
    const { cluster, settings } = configuration
    const field = forbidden.find((name) => settings.origins.get(name) !== "default")
    if (field !== undefined) {
      const rule = "absent where an executor runs"
      return yield* new InvalidConfiguration({ field, rule, message: `${field} must be ${rule}: it has no database` })
    }
    const ignored = ignoredOf(configuration)
    if (ignored !== undefined) return yield* ignored
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
