/** Requests upstreams as programs do: under the outbound policy, with its host overrides and headers. */
import { HttpFetch } from "@sibyl/core"
import { layerHttpFetch } from "@sibyl/vm/http"
import { Effect } from "effect"
import type { Configuration } from "../config/configuration.ts"
import { unknownHost } from "../output/unknownHost.ts"
import { type Finding, finding, orFailed } from "./finding.ts"

const patienceMs = 5_000
const maxResponseBytes = 1_048_576

const ask = (url: string): Effect.Effect<Finding, never, HttpFetch> =>
  Effect.gen(function* () {
    const { fetch } = yield* HttpFetch
    const response = yield* fetch({
      projectId: "doctor",
      url,
      method: "GET",
      headers: [],
      body: new Uint8Array(),
      timeoutMs: patienceMs,
      maxResponseBytes
    })
    if (response.kind === "answered") return finding("upstream", "ok", `${url} answers ${response.status}`)
    // A program is told only that the request failed; an operator needs to know whether DNS or the policy is the cause.
    const why = /no public address/.test(response.message) ? yield* unknownHost(url) : undefined
    return finding("upstream", "failed", `${url}: ${why ?? response.message}`)
  })

/** Whether the outbound settings are right, and what each URL answers. */
export const examineUpstreams = ({ outbound }: Configuration, urls: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.forEach(urls, (url) => orFailed("upstream", ask(url)), { concurrency: "unbounded" }).pipe(
    Effect.map((found) => [finding("outbound", "ok", outbound.allowHosts?.join(" ") ?? "every public host"), ...found]),
    Effect.provide(layerHttpFetch(outbound)),
    Effect.catchAllCause((cause) => orFailed("outbound", Effect.failCause(cause)).pipe(Effect.map((one) => [one])))
  )
