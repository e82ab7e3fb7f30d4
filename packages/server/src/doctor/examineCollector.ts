/** Whether the collector of `otlp.endpoint` takes what a server would push: it is sent one empty request for each signal. */
import { Effect, Redacted } from "effect"
import type { Configuration, OtlpConfiguration } from "../config/configuration.ts"
import { readOtlpHeaders } from "../config/otlpHeaders.ts"
import { type Finding, finding } from "./finding.ts"

const check = "collector"
const patienceMs = 3_000

/** The requests of OTLP without an item, which a collector takes as any other. */
const emptyRequests = { traces: { resourceSpans: [] }, metrics: { resourceMetrics: [] }, logs: { resourceLogs: [] } } as const

type Signal = keyof typeof emptyRequests

const cures: Readonly<Record<number, string>> = {
  401: ": see otlp.headers",
  403: ": see otlp.headers",
  404: ": otlp.endpoint is the address before /v1/traces, of OTLP over HTTP",
  415: ": it must take OTLP as JSON"
}

/** Why the signal is not taken; `undefined` if it is. Without the address, in which a key may stand. */
const refusalOf = ({ endpoint, headers }: OtlpConfiguration, signal: Signal): Effect.Effect<string | undefined> =>
  Effect.tryPromise(async () => {
    const response = await fetch(`${endpoint.replace(/\/+$/, "")}/v1/${signal}`, {
      method: "POST",
      redirect: "manual",
      headers: {
        ...Object.fromEntries(headers === undefined ? [] : (readOtlpHeaders(Redacted.value(headers)) ?? [])),
        "content-type": "application/json"
      },
      body: JSON.stringify(emptyRequests[signal]),
      signal: AbortSignal.timeout(patienceMs)
    })
    await response.body?.cancel()
    return response.ok ? undefined : `it answers with ${response.status}${cures[response.status] ?? ""}`
  }).pipe(
    Effect.catchAll(({ error }) =>
      Effect.succeed(error instanceof Error && error.name === "TimeoutError" ? "it does not answer in time" : "it cannot be reached")
    )
  )

/** A finding if telemetry is pushed; a server runs without its collector, too. */
export const examineCollector = ({ otlp }: Configuration): Effect.Effect<ReadonlyArray<Finding>> => {
  if (otlp === undefined) return Effect.succeed([])
  const { origin } = new URL(otlp.endpoint)
  const signals: ReadonlyArray<Signal> = ["traces", "metrics", "logs"]
  const asked = Effect.forEach(signals, (signal) => Effect.map(refusalOf(otlp, signal), (why) => ({ signal, why })), {
    concurrency: "unbounded"
  })
  return Effect.map(asked, (answers) => {
    const refused = answers.filter(({ why }) => why !== undefined)
    if (refused.length === 0) return [finding(check, "ok", `${origin} takes ${signals.join(", ")}`)]
    const reasons = [...new Set(refused.map(({ why }) => why))].map(
      (reason) => `${refused.flatMap(({ signal, why }) => (why === reason ? [signal] : [])).join(", ")}: ${reason}`
    )
    return [finding(check, "warning", `${origin} does not take telemetry, which a server would drop: ${reasons.join("; ")}`)]
  })
}
