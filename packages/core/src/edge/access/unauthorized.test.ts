/** Every endpoint that needs a key asks for it before anything else is looked at (decision D13). */
import { Schema } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { Unauthorized } from "../../contract/errors.ts"
import { openWorld, type OpenWorld, seamRequest } from "../../testdata/world.ts"
import { routesOf } from "../rest/routes.ts"

let world: OpenWorld

beforeAll(async () => {
  world = await openWorld()
})

afterAll(() => world.service.dispose())

/** Written out: a route that lost its key in the contract must be missed here. */
const keyed = [
  { method: "GET", path: "/execute?nonsense" },
  { method: "POST", path: "/execute" },
  { method: "GET", path: "/execute/last-result?nonsense" },
  { method: "POST", path: "/execute/last-result" },
  { method: "GET", path: "/data-request-reports?nonsense" },
  { method: "GET", path: "/verify" },
  { method: "GET", path: "/project" },
  { method: "GET", path: "/programs" }
]

it("are the routes of the contract", () => {
  const declared = [...routesOf()].flatMap(([path, methods]) =>
    [...methods.values()].filter(({ needsKey }) => needsKey).map(({ method }) => `${method} ${path}`)
  )
  expect(keyed.map(({ method, path }) => `${method} ${path.split("?")[0]}`).toSorted()).toEqual(declared.toSorted())
})

it.each(keyed)("$method $path is 401 without a key, and with one that is none", async ({ method, path }) => {
  const { key, service } = world
  const wrong = [undefined, "", "Bearer", "Bearer ", `Basic ${key}`, key, "Bearer x", `Bearer ${key}x`, `Bearer ${key} x`]
  for (const authorization of wrong) {
    const headers = authorization === undefined ? {} : { authorization }
    const response = await service.fetch(seamRequest(method, path, { headers }))
    expect(response?.status, authorization).toBe(401)
    expect(response?.headers["www-authenticate"]).toBe("Bearer")
    const { error, message } = Schema.decodeUnknownSync(Unauthorized.wire)(JSON.parse(String(response?.body)))
    expect(error).toBe(message)
    expect(message).not.toContain(key)
  }
})

it("reads the scheme in any letter case", async () => {
  const headers = { authorization: `bearer  ${world.key}` }
  expect((await world.service.fetch(seamRequest("GET", "/verify", { headers })))?.status).toBe(200)
})
