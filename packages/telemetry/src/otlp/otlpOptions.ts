/** Where telemetry is pushed to, and in whose name. */
import type { Logger, Redacted } from "effect"

/** A collector that takes OTLP over HTTP, and what it is sent. */
export interface OtlpOptions {
  /** The collector's address: `/v1/traces`, `/v1/metrics` and `/v1/logs` follow it. */
  readonly endpoint: string
  /** Sent with every request, such as a collector's token. */
  readonly headers?: Readonly<Record<string, Redacted.Redacted>>
  /** The service that the collector shows. Default `sibyl`. */
  readonly serviceName?: string
  readonly serviceVersion: string
  /** Which entries of the log are sent. Default: all that are made. */
  readonly keeps?: (entry: Logger.Logger.Options<unknown>) => boolean
  /** Of the traces that begin here, this part is recorded, 0 to 1; what a caller records is recorded, what it does not is not. Default 1. */
  readonly sampleRatio?: number
  /** How often telemetry is sent, in ms. Default 5,000. */
  readonly intervalMs?: number
  /** How long the collector may take for one request, which is tried three times, in ms. Default 10,000. */
  readonly timeoutMs?: number
  /** How long the last sending may take when the service ends, in ms. Default 3,000. */
  readonly shutdownMs?: number
}
