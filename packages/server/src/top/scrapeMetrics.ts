/** Asks a server for its metrics. */
import { Effect, Option, Redacted } from "effect"
import { CommandFailed } from "../output/failure.ts"
import { readExposition, type Scrape } from "./exposition.ts"

/** Where the metrics are, and the token that they may want. */
export interface MetricsPlace {
  /** The server's address; its metrics are at `/metrics` below it. */
  readonly url: string
  readonly token: Option.Option<Redacted.Redacted>
}

/** A server that is busy answers later, not never. */
const patienceMs = 10_000

/** More than any server has; what is longer is something else. */
const mostBytes = 16 * 1_048_576

const meaningOf: Readonly<Record<number, string>> = {
  401: "it wants a token, or another one: --token or SIBYL_METRICS_TOKEN",
  403: "it does not show its metrics to this address or token",
  404: "no metrics are shown there: the setting metrics.access is off, or metrics.port says another port"
}

/** One look at the metrics; fails in words for an operator. */
export const scrapeMetrics = (place: MetricsPlace): Effect.Effect<Scrape, CommandFailed> =>
  Effect.gen(function* () {
    const address = `${place.url.replace(/\/+$/, "")}/metrics`
    const authorization = Option.map(place.token, (token) => `Bearer ${Redacted.value(token)}`)
    const { status, text } = yield* Effect.tryPromise({
      try: async (signal) => {
        const response = await fetch(address, {
          signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
          redirect: "error",
          headers: { accept: "text/plain", ...(Option.isSome(authorization) ? { authorization: authorization.value } : {}) }
        })
        return { status: response.status, text: await response.text() }
      },
      catch: () => new CommandFailed({ message: `nothing answers at ${address}` })
    })
    if (status !== 200) {
      return yield* new CommandFailed({
        message: `${address} answered ${status}${meaningOf[status] === undefined ? "" : `: ${meaningOf[status]}`}`
      })
    }
    const scrape = text.length > mostBytes ? undefined : readExposition(text)
    return scrape ?? (yield* new CommandFailed({ message: `what answers at ${address} has no metrics in Prometheus's text format` }))
  })
