/** A limit that a phase has reached, with its value: it ended the phase, cut its output, or rejected a call. */
import { Schema } from "effect"

/** The limits that a phase can reach. Those of the settings have their names there. */
const limitNames = [
  "execGasLimit",
  "tallyGasLimit",
  "execWallClockMs",
  "tallyWallClockMs",
  "workerMemoryMib",
  "memoryPages",
  "module",
  "stack",
  "stdoutBytes",
  "stderrBytes",
  "resultBytes",
  "hostCalls",
  "hostCallBytes",
  "httpActionBytes",
  "storageActionBytes"
] as const

/** The name of such a limit. `module`: the bounds of a module's parts. */
export type LimitName = (typeof limitNames)[number]

/** A limit, and what it allows. Later versions may know more of them. */
export const ReachedLimit = Schema.Struct({
  limit: Schema.String.annotations({ description: "its name, for the most part that of the setting: resultBytes, execWallClockMs, …" }),
  allowed: Schema.NullOr(Schema.String).annotations({
    description: "a decimal number; null where the reason says more (module), or it is the engine's own (stack)"
  })
}).annotations({ identifier: "ReachedLimit" })
/** A limit, and what it allows. */
export type ReachedLimit = typeof ReachedLimit.Type

/** The same from a stranger: a name that is known, and a number. */
export const KnownLimit = Schema.Struct({
  limit: Schema.Literal(...limitNames),
  allowed: Schema.NullOr(Schema.String.pipe(Schema.pattern(/^[0-9]{1,20}$/)))
})
