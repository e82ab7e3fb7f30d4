/** Where telemetry is pushed to, as a message to a process of the same server. */
import { Redacted } from "effect"
import type { OtlpConfiguration } from "./configuration.ts"

/** The configuration with its secrets as text: the channel between two processes is private. */
export type OtlpMessage = Omit<OtlpConfiguration, "headers"> & { readonly headers: string | undefined }

/** As a message. */
export const otlpMessage = (otlp: OtlpConfiguration | undefined): OtlpMessage | undefined =>
  otlp === undefined ? undefined : { ...otlp, headers: otlp.headers === undefined ? undefined : Redacted.value(otlp.headers) }

/** From a message. */
export const otlpIn = (otlp: OtlpMessage | undefined): OtlpConfiguration | undefined =>
  otlp === undefined ? undefined : { ...otlp, headers: otlp.headers === undefined ? undefined : Redacted.make(otlp.headers) }
