/** Every id in an answer comes from the service's Entropy, never from another generator. */
import { Layer } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { Entropy, entropyOf } from "../ports/entropy.ts"
import { allWell } from "../testdata/scriptedRuntime.ts"
import { eventually, rpcClient } from "../testdata/rpcClient.ts"
import { openTestService, type OpenTestService, seamRequest } from "../testdata/testService.ts"
import { routesOf } from "./rest/routes.ts"
import type { ServiceResponse } from "./transport/seam.ts"

/** Bytes with a recognizable pattern, and a counter in the last four. */
const marked = () => {
  let draws = 0
  return entropyOf((count) => {
    const bytes = new Uint8Array(count).fill(0xab)
    new DataView(bytes.buffer).setUint32(count - 4, (draws += 1))
    return bytes
  })
}

/** An id of those bytes: version 4 is all of them, version 7 begins with the time. */
const ours = /^(?:abababab-abab-4bab|[0-9a-f]{8}-[0-9a-f]{4}-7bab)-abab-abab[0-9a-f]{8}$/
const uuids = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi

let testService: OpenTestService
const answered = new Set<string>()

/** Checks every id in an answer and returns its request id. */
const idOf = (response: ServiceResponse | undefined, about: string): string => {
  const requestId = response?.headers["x-request-id"] ?? ""
  expect(requestId, about).toMatch(ours)
  expect(answered.has(requestId), about).toBe(false)
  answered.add(requestId)
  // The documents contain example ids.
  const shown = about.includes("/docs") ? [] : (String(response?.body).match(uuids) ?? [])
  for (const id of shown) expect(id, about).toMatch(ours)
  return requestId
}

const ask = (method: string, path: string, fields: Parameters<typeof seamRequest>[2] = {}) =>
  testService.service.fetch(
    seamRequest(method, path, { ...fields, headers: { authorization: `Bearer ${testService.key}`, ...fields.headers } })
  )

beforeAll(async () => {
  testService = await openTestService({ script: allWell, entropy: Layer.sync(Entropy, marked) })
})

afterAll(() => testService.service.dispose())

it("of every route, with a key and without one, and by a wrong method", async () => {
  for (const [path, methods] of routesOf()) {
    for (const method of [...methods.keys(), "PATCH"]) {
      const about = `${method} ${path}`
      idOf(await ask(method, path), about)
      idOf(await ask(method, path, { headers: { authorization: "Bearer none" } }), `${about} without a key`)
    }
  }
})

it("of runs, of stored results, and of reports", async () => {
  const path = `/execute?execProgramId=${testService.execProgramId}`
  const posted = { body: JSON.stringify({ execProgramId: testService.execProgramId }), headers: { "idempotency-key": "one" } }
  for (const response of [await ask("GET", path), await ask("POST", "/execute", posted)]) {
    expect(response?.status).toBe(200)
    const requestId = idOf(response, "a run")
    expect(JSON.parse(String(response?.body)).data).toMatchObject({ id: requestId, requestId })
  }
  const replayed = await ask("POST", "/execute", posted)
  expect(replayed?.headers["idempotency-replayed"]).toBe("true")
  idOf(replayed, "the answer of an idempotency key")
  for (let time = 0; time < 3; time += 1) idOf(await ask("GET", `${path}&returnLastResult=true`), "a remembered result")
  expect((await ask("GET", `${path}&returnLastResult=true`))?.headers["x-sibyl-cache"]).toBe("hit")
})

it("of requests that are refused before routing", async () => {
  idOf(await ask("GET", "/info", { headers: { host: "a, b" } }), "two hosts")
  idOf(await ask("GET", "/info", { signal: AbortSignal.abort() }), "a client that has gone")
  for (const headers of [{ host: "a, b" }, { authorization: "Bearer none" }]) {
    const refused = await testService.service.upgrade(seamRequest("GET", "/ws/v1", { headers }))
    idOf(typeof refused === "function" ? undefined : refused, "an upgrade")
  }
})

it("of a connection, its runs, its feeds and their results", async () => {
  const { ask: call, said, socket } = await rpcClient(testService.service, testService.key)
  const params = { execProgramId: testService.execProgramId }
  const run = await call("feed.execute", params)
  const feed = await call("feed.start", { execute: params, periodicityMs: 10, mode: "FIXED" })
  await eventually(() => (said().some(({ method }) => method === "feed.result") ? true : undefined), "a result of a feed")
  const ids = socket.texts.join("\n").match(uuids) ?? []
  expect([run.error, feed.error]).toEqual([undefined, undefined])
  expect(ids.length).toBeGreaterThan(3)
  for (const id of ids) expect(id).toMatch(ours)
  socket.peer.closed(1000, "")
})

it("of a service that is closed", async () => {
  await testService.service.dispose()
  idOf(await ask("GET", "/info"), "a request")
  const refused = await testService.service.upgrade(seamRequest("GET", "/ws/v1"))
  idOf(typeof refused === "function" ? undefined : refused, "an upgrade")
})
