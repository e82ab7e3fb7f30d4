/** What a command's work says beside its answer, in a line each on standard error. */
import { Effect, FiberRef, HashSet, Logger, LogLevel } from "effect"
import { printable } from "./printable.ts"
import { withoutSecrets } from "./withoutSecrets.ts"

const noteLogger = (json: boolean) =>
  Logger.make(({ logLevel, message }) => {
    // A script reads failures there.
    if (json && LogLevel.lessThan(logLevel, LogLevel.Warning)) return
    const texts = (Array.isArray(message) ? message : [message]).map(String)
    process.stderr.write(`${withoutSecrets(printable(texts.join(" ")))}\n`)
  })

/** Prints what `work` logs without times and levels; with `json` only what is more than information. */
export const withNotes = <A, E, R>(work: Effect.Effect<A, E, R>, json: boolean): Effect.Effect<A, E, R> =>
  Effect.locally(work, FiberRef.currentLoggers, HashSet.make(noteLogger(json)))
