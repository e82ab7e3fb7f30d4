/** What stands beside a service, and keeps none of its answers waiting. */
import { withConsole } from "@sibyl/console"
import { fetchOf, type Service, type ServiceRequest } from "@sibyl/core"
import { withMetrics } from "@sibyl/telemetry"
import { expect, it } from "vitest"
import { docsAtRoot } from "./docsAtRoot.ts"

const service: Service = {
  fetch: fetchOf(({ url }) => ({ status: 200, headers: {}, body: url })),
  upgrade: () => Promise.resolve(undefined),
  maxMessageBytes: 1,
  dispose: () => Promise.resolve()
}

const request = (url: string): ServiceRequest => ({
  method: "GET",
  url,
  header: () => undefined,
  body: () => Promise.resolve(new Uint8Array())
})

const { fetch } = docsAtRoot(withConsole(withMetrics(service, { access: { kind: "open" }, read: async () => [] })), "/oracle")

it("the root leads to the documentation, metrics and the console have their pages", async () => {
  expect(await fetch(request("/"))).toMatchObject({ status: 302, headers: { location: "/oracle/docs" } })
  expect(await fetch(request("/metrics"))).toMatchObject({ headers: { "content-type": expect.stringContaining("text/plain") } })
  expect(await fetch(request("/console"))).toMatchObject({ headers: { "content-type": "text/html; charset=utf-8" } })
})

it("an answer that the service has at hand is not waited for", () => {
  expect(fetch.atOnce?.(request("/execute?a=1"))).toEqual({ status: 200, headers: {}, body: "/execute?a=1" })
})
