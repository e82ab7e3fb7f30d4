/** Asks a server for its metrics. */
import { Effect, Option, Redacted } from "effect"
import { CommandFailed } from "../output/failure.ts"
import { networkReason } from "../output/networkReason.ts"
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

/** Of a redirect, where to: a token is not sent on. */
const meantBy = (status: number, location: string | null): string => {
  const meaning =
    status >= 300 && status < 400 && location !== null
      ? `it redirects to ${location.replace(/\/metrics$/, "")}, give that address`
      : meaningOf[status]
  return meaning === undefined ? "" : `: ${meaning}`
}

/** The request cannot even be made where the runtime has nothing to say of the network. */
const unanswered = (address: string, fault: unknown): string => {
  const reason = networkReason(fault)
  if (reason !== "") return `nothing answers at ${address}${reason}`
  return `${address} cannot be asked: an address has no user and no password, a token only printable characters`
}

/** One look at the metrics; fails in words for an operator. */
export const scrapeMetrics = (place: MetricsPlace): Effect.Effect<Scrape, CommandFailed> =>
  Effect.gen(function* () {
    const address = `${place.url.replace(/\/+$/, "")}/metrics`
    const authorization = Option.map(place.token, (token) => `Bearer ${Redacted.value(token)}`)
    const { location, status, text } = yield* Effect.tryPromise({
      try: async (signal) => {
        const response = await fetch(address, {
          signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
          redirect: "manual",
          headers: { accept: "text/plain", ...(Option.isSome(authorization) ? { authorization: authorization.value } : {}) }
        })
        return { status: response.status, location: response.headers.get("location"), text: await response.text() }
      },
      catch: (fault) => new CommandFailed({ message: unanswered(address, fault) })
    })
    if (status !== 200) return yield* new CommandFailed({ message: `${address} answered ${status}${meantBy(status, location)}` })
    const scrape = text.length > mostBytes ? undefined : readExposition(text)
    return scrape ?? (yield* new CommandFailed({ message: `what answers at ${address} has no metrics in Prometheus's text format` }))
  })
