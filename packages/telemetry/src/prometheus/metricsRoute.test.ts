/** Who may read metrics behind a token. */
import { InvalidOption, type Service, type ServiceRequest } from "@sibyl/core"
import { Redacted } from "effect"
import { expect, it } from "vitest"
import { answerMetrics, type MetricsRoute, withMetrics } from "./metricsRoute.ts"

const behind = (token: string): MetricsRoute => ({ access: { kind: "token", token: Redacted.make(token) }, read: async () => [] })

const requestWith = (authorization: string | undefined): ServiceRequest => ({
  method: "GET",
  url: "/metrics",
  header: (name) => (name === "authorization" ? authorization : undefined),
  body: async () => new Uint8Array()
})

it.each([
  ["Bearer abc", 200],
  ["bearer abc", 200],
  ["Bearer abcd", 401],
  ["Bearer ", 401],
  ["Basic abc", 401],
  ["abc", 401],
  [undefined, 401]
] as const)("the token abc: %s is answered %i", async (authorization, status) => {
  expect((await answerMetrics(behind("abc"), requestWith(authorization))).status).toBe(status)
})

it("an empty token opens nothing: whoever asks is refused, and no service is made with it", async () => {
  for (const authorization of [undefined, "Bearer", "Bearer ", "Basic "]) {
    expect((await answerMetrics(behind(""), requestWith(authorization))).status).toBe(401)
  }
  const service: Service = { fetch: async () => undefined, upgrade: async () => undefined, maxMessageBytes: 1, dispose: async () => {} }
  expect(() => withMetrics(service, behind(""))).toThrow(InvalidOption)
  expect(() => withMetrics(service, behind("abc"))).not.toThrow()
})
