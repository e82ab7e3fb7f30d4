/** A malformed handshake is answered as any other request, before anything is looked up for it. */
import { expect, test } from "vitest"
import { openTestService, seamRequest } from "../../testdata/testService.ts"

const whole = {
  upgrade: "websocket",
  connection: "keep-alive, Upgrade",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ=="
}

test.each([
  ["POST", {}, 405, "MethodNotAllowed", { allow: "GET" }],
  ["GET", { connection: "keep-alive" }, 426, "UpgradeRequired", { upgrade: "websocket" }],
  ["GET", { "sec-websocket-version": "12" }, 426, "UpgradeRequired", { "sec-websocket-version": "13" }],
  ["GET", { "sec-websocket-version": "" }, 426, "UpgradeRequired", { "sec-websocket-version": "13" }],
  ["GET", { "sec-websocket-key": "" }, 400, "InvalidRequest", {}],
  ["GET", { "sec-websocket-key": "c2hvcnQ=" }, 400, "InvalidRequest", {}],
  ["GET", { "sec-websocket-protocol": "" }, 400, "InvalidRequest", {}],
  ["GET", { "sec-websocket-protocol": "sibyl.v1,,other" }, 400, "InvalidRequest", {}],
  ["GET", { "sec-websocket-protocol": "sibyl.v1, sibyl.v1" }, 400, "InvalidRequest", {}],
  ["GET", { "sec-websocket-protocol": "sibyl v1" }, 400, "InvalidRequest", {}]
])("%s with %o is %i %s", async (method, wrong, status, tag, more) => {
  const { key, service } = await openTestService()
  // Without a key, too: what is malformed is so for everyone.
  for (const authorization of [{ authorization: `Bearer ${key}` }, {}]) {
    const answer = await service.upgrade(seamRequest(method, "/ws/v1", { headers: { ...authorization, ...whole, ...wrong } }))
    if (answer === undefined || typeof answer === "function") throw new Error("not refused")
    expect(answer).toMatchObject({ status, headers: more })
    expect(JSON.parse(String(answer.body))).toMatchObject({ _tag: tag, requestId: answer.headers["x-request-id"] })
    expect(answer.headers["content-type"]).toContain("application/json")
  }
  await service.dispose()
})

test("a well-formed one is admitted by its key, and one within the process needs no headers", async () => {
  const { key, service } = await openTestService()
  for (const headers of [whole, { ...whole, "sec-websocket-protocol": "other ,sibyl.v1" }, {}]) {
    const authorized = { authorization: `Bearer ${key}`, ...headers }
    expect(await service.upgrade(seamRequest("GET", "/ws/v1", { headers: authorized }))).toBeTypeOf("function")
    expect(await service.upgrade(seamRequest("GET", "/ws/v1", { headers }))).toMatchObject({ status: 401 })
  }
  await service.dispose()
})
