/** Every route asks for a key exactly where the contract says so, before anything else is looked at (decision D13). */
import { Effect, Redacted, Schema } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { Unauthorized } from "../../contract/errors.ts"
import { openTestService, type OpenTestService, seamRequest } from "../../testdata/testService.ts"
import { routesOf } from "../rest/routes.ts"

let testService: OpenTestService
let revoked: string
let expired: string

beforeAll(async () => {
  testService = await openTestService()
  const {
    project: { projectId },
    keys
  } = testService
  const issue = () => Effect.runPromise(keys.issue(projectId))
  const [ended, over] = [await issue(), await issue()]
  await Effect.runPromise(keys.revoke(ended.apiKeyId))
  await Effect.runPromise(keys.rotate(over.apiKeyId, { overlapMs: 0 }))
  revoked = Redacted.value(ended.key)
  expired = Redacted.value(over.key)
})

afterAll(() => testService.service.dispose())

const routes = [...routesOf()].flatMap(([path, methods]) =>
  [...methods.values()].map(({ method, needsKey }) => ({ method, path, needsKey }))
)

/** Listed by hand, so that a route whose key requirement is dropped from the contract is noticed. */
const open = [
  "GET /data-proxy/:public_key",
  "GET /docs",
  "GET /docs/asyncapi.json",
  "GET /docs/errors",
  "GET /docs/openapi.json",
  "GET /docs/websocket",
  "GET /health",
  "GET /info",
  "GET /ready",
  "GET /ws/v1"
]

it("the contract requires a key on every route that is not public", () => {
  const declared = routes.filter(({ needsKey }) => !needsKey).map(({ method, path }) => `${method} ${path}`)
  expect(declared.toSorted()).toEqual(open)
})

const ask = (method: string, path: string, authorization: string | undefined) =>
  testService.service.fetch(seamRequest(method, `${path}?nonsense`, { headers: authorization === undefined ? {} : { authorization } }))

const wrongKeys = (): Readonly<Record<string, string | undefined>> => {
  const { key } = testService
  return {
    none: undefined,
    empty: "",
    "no key": "Bearer",
    "an empty key": "Bearer ",
    "another scheme": `Basic ${key}`,
    "no scheme": key,
    "a wrong key": "Bearer x",
    "a longer key": `Bearer ${key}x`,
    "two keys": `Bearer ${key} x`,
    "a revoked key": `Bearer ${revoked}`,
    "an expired key": `Bearer ${expired}`
  }
}

it.each(routes.filter(({ needsKey }) => needsKey))("$method $path is 401 without a valid key", async ({ method, path }) => {
  for (const [what, authorization] of Object.entries(wrongKeys())) {
    const response = await ask(method, path, authorization)
    expect(response?.status, what).toBe(401)
    expect(response?.headers["www-authenticate"]).toBe("Bearer")
    const { error, message } = Schema.decodeUnknownSync(Unauthorized.wire)(JSON.parse(String(response?.body)))
    expect(error).toBe(message)
    for (const secret of [testService.key, revoked, expired]) expect(message).not.toContain(secret)
  }
  expect((await ask(method, path, `Bearer ${testService.key}`))?.status).not.toBe(401)
})

it.each(routes.filter(({ needsKey }) => !needsKey))("$method $path answers the same without a key", async ({ method, path }) => {
  const status = (await ask(method, path, `Bearer ${testService.key}`))?.status
  expect(status).not.toBe(401)
  for (const [what, authorization] of Object.entries(wrongKeys())) {
    expect((await ask(method, path, authorization))?.status, what).toBe(status)
  }
})

it("reads the scheme in any letter case", async () => {
  const headers = { authorization: `bearer  ${testService.key}` }
  expect((await testService.service.fetch(seamRequest("GET", "/verify", { headers })))?.status).toBe(200)
})
