/** The outbound HTTP of the VM satisfies the laws, and ones with a fault do not. */
import { HttpFetch, type OutboundRequest, type OutboundResponse } from "@sibyl/core"
import { layerHttpFetch } from "@sibyl/vm/http"
import { Effect, Fiber, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { describeLaws } from "../../describeLaws.ts"
import { httpFetchLaws, type MakeHttpFetch } from "./httpFetchLaws.ts"
import { brokenLaws } from "./testdata/brokenLaws.ts"

const honest: MakeHttpFetch = (hostOverrides) => layerHttpFetch({ hostOverrides })

describeLaws("the outbound HTTP of the VM", httpFetchLaws(honest))

type Fetch = HttpFetch["Type"]["fetch"]

const faulty =
  (change: (fetch: Fetch) => Fetch): MakeHttpFetch =>
  (origins) =>
    Layer.effect(
      HttpFetch,
      Effect.map(HttpFetch, ({ fetch }) => ({ fetch: change(fetch) }))
    ).pipe(Layer.provide(honest(origins)))

const onAnswer = (change: (response: Extract<OutboundResponse, { kind: "answered" }>) => OutboundResponse) =>
  faulty((fetch) => (request) => Effect.map(fetch(request), (response) => (response.kind === "answered" ? change(response) : response)))

const onRequest = (change: (request: OutboundRequest) => OutboundRequest) => faulty((fetch) => (request) => fetch(change(request)))

const ofEveryProject = (request: OutboundRequest): OutboundRequest =>
  request.allowedHosts === undefined ? request : { ...request, allowedHosts: ["upstream.test"] }

/** The runtime's own fetch, which checks no address. */
const unchecked: MakeHttpFetch = (origins) =>
  Layer.succeed(HttpFetch, {
    fetch: ({ timeoutMs, url }) =>
      Effect.tryPromise(async (): Promise<OutboundResponse> => {
        const [[host, origin] = ["", ""]] = Object.entries(origins)
        const response = await fetch(url.replace(`http://${host}`, origin), { signal: AbortSignal.timeout(timeoutMs) })
        const bytes = new Uint8Array(await response.arrayBuffer())
        return { kind: "answered", status: response.status, headers: [...response.headers], bytes, url, contentLength: 0 }
      }).pipe(Effect.catchAll((cause) => Effect.succeed({ kind: "rejected" as const, message: String(cause), timedOut: false })))
  })

const rejected: OutboundResponse = { kind: "rejected", message: "refused", timedOut: false }
const first = { value: undefined as OutboundResponse | undefined }

describe("the laws find", () => {
  it.each<readonly [string, MakeHttpFetch, RegExp]>([
    ["statuses from 400 that are rejected", onAnswer((response) => (response.status < 400 ? response : rejected)), /status/],
    ["a declared length that is lost", onAnswer((response) => ({ ...response, contentLength: 0 })), /status/],
    ["a method that is always GET", onRequest((request) => ({ ...request, method: "GET" })), /sent as/],
    ["headers of the program that are lost", onRequest((request) => ({ ...request, headers: [] })), /sent as|would break/],
    ["answers of any size", onRequest((request) => ({ ...request, maxResponseBytes: 10_000_000 })), /at most as many/],
    [
      "a limit that is one too low",
      onRequest((request) => ({ ...request, maxResponseBytes: request.maxResponseBytes - 1 })),
      /at most as many/
    ],
    [
      "a time-out that is a mere rejection",
      faulty(
        (fetch) => (request) =>
          Effect.map(fetch(request), (response) => (response.kind === "rejected" ? { ...response, timedOut: false } : response))
      ),
      /goes wrong/
    ],
    [
      "rejections without a text",
      faulty(
        (fetch) => (request) =>
          Effect.map(fetch(request), (response) => (response.kind === "rejected" ? { ...response, message: "" } : response))
      ),
      /goes wrong/
    ],
    ["addresses of this machine", unchecked, /its own address/],
    [
      "the address before the redirect",
      faulty(
        (fetch) => (request) =>
          Effect.map(fetch(request), (response) => (response.kind === "answered" ? { ...response, url: request.url } : response))
      ),
      /redirects/
    ],
    ["hosts of the project that are ignored", onRequest(ofEveryProject), /project/],
    [
      "a caller that is not listened to",
      faulty((fetch) => (request) => Effect.flatMap(Effect.forkDaemon(fetch(request)), Fiber.join)),
      /caller/
    ],
    ["one answer for all", faulty((fetch) => (request) => Effect.map(fetch(request), (response) => (first.value ??= response))), /sixty/]
  ])("%s", async (_, make, law) => {
    const meant = httpFetchLaws(make).filter(({ name }) => law.test(name))
    expect(await brokenLaws(meant)).not.toEqual([])
  })
})
