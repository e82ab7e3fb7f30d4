/** Answers given again: the same bytes without asking the stores, and never one that has become wrong. */
import { Context, Effect, Layer } from "effect"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { fromUtf8 } from "../../domain/encoding/bytes.ts"
import { Directory } from "../../ports/directory.ts"
import { Freshness } from "../../ports/freshness.ts"
import { outcome } from "../../testdata/scriptedRuntime.ts"
import { type OpenWorld, openWorld, seamRequest } from "../../testdata/world.ts"
import { cacheHeaders, HotAnswers, rememberedFor } from "./hotAnswers.ts"
import type { Service } from "../transport/seam.ts"

let world: OpenWorld
let service: Service
/** How often a key was looked up: every request that is not given again needs that. */
let lookUps: number

beforeEach(async () => {
  let runs = 0
  world = await openWorld({
    script: () =>
      Effect.sync(() => {
        runs += 1
        return outcome({ result: fromUtf8(`run ${runs}`) })
      })
  })
  lookUps = 0
  service = await world.openAnother((stores) => {
    const directory = Context.get(stores, Directory)
    const authenticate: typeof directory.authenticate = (key) =>
      Effect.zipRight(Effect.sync(() => (lookUps += 1)), directory.authenticate(key))
    return Layer.succeedContext(Context.add(stores, Directory, { ...directory, authenticate }))
  })
})

afterEach(async () => {
  await service.dispose()
  await world.service.dispose()
})

const target = (query: string, path = "/execute"): string => `${path}?execProgramId=${world.execProgramId}&${query}`

const ask = async (url: string, method = "GET", key = world.key) => {
  const before = lookUps
  const response = await service.fetch(seamRequest(method, url, { headers: { authorization: `Bearer ${key}` } }))
  if (response === undefined) throw new Error("no answer")
  const { body, headers, status } = response
  return { status, body: String(body), headers, again: lookUps === before }
}

const cached = (): string => target("returnLastResult=true")

/** Runs once, and asks for the result until it is given again. */
const warm = async (url = cached()) => {
  await ask(target(""))
  const first = await ask(url)
  expect(first).toMatchObject({ status: 200, again: false, headers: { "x-sibyl-cache": "hit" } })
  const second = await ask(url)
  expect(second).toMatchObject({ status: 200, again: true, body: first.body, headers: { "x-sibyl-cache": "hit" } })
  return { first, second }
}

describe("a remembered result", () => {
  test.each([
    ["/execute", "returnLastResult"],
    ["/execute", "returnLastResult=true&encoding=utf8&includeDebugInfo=1"],
    ["/execute", "returnLastResult=1&returnLastResultMaxAge=3600"],
    ["/execute/last-result", "mode=success"]
  ])("%s?%s is given again with the same bytes, an age and a request id of its own", async (path, query) => {
    const { first, second } = await warm(target(query, path))
    expect(second.headers["age"]).toMatch(/^[0-9]+$/)
    expect(second.headers["content-type"]).toBe(first.headers["content-type"])
    expect(second.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/)
    expect(second.headers["x-request-id"]).not.toBe(first.headers["x-request-id"])
  })

  test("is made anew for another encoding, key, method or path", async () => {
    await warm()
    expect(await ask(`${cached()}&encoding=utf8`)).toMatchObject({ status: 200, again: false })
    expect(await ask(cached(), "HEAD")).toMatchObject({ status: 405 })
    expect(await ask(cached(), "DELETE")).toMatchObject({ status: 405 })
    expect(await ask(target("", "/execute/last-result"))).toMatchObject({ status: 200, again: false })
    expect(await ask(cached(), "GET", `${world.key}0`)).toMatchObject({ status: 401, again: false })
  })

  test("is never given again with a summary, which shows the balance of now", async () => {
    await ask(target(""))
    const url = `${cached()}&includeSummary=true`
    expect([(await ask(url)).again, (await ask(url)).again]).toEqual([false, false])
  })

  test("of a run is no answer to a request that wants a run", async () => {
    await warm()
    const [one, two] = [await ask(target("")), await ask(target(""))]
    expect(one.body).not.toBe(two.body)
    expect([one.again, two.again]).toEqual([false, false])
  })
})

describe("nothing is given again after", () => {
  test("a newer run", async () => {
    const { first } = await warm(target("returnLastResult&encoding=utf8"))
    expect(first.body).toContain("run ")
    await ask(target(""))
    const next = await ask(target("returnLastResult&encoding=utf8"))
    expect(next).toMatchObject({ status: 200, again: false })
    expect(next.body).not.toBe(first.body)
  })

  test("a newer run of another server on the same stores", async () => {
    const { first } = await warm()
    await world.service.fetch(seamRequest("GET", target(""), { headers: { authorization: `Bearer ${world.key}` } }))
    const next = await ask(cached())
    expect(next.again).toBe(false)
    expect(next.body).not.toBe(first.body)
  })

  test("the key was revoked", async () => {
    await warm()
    const [key] = await Effect.runPromise(world.keys.list(world.project.projectId))
    await Effect.runPromise(world.keys.revoke(key?.apiKeyId ?? ""))
    expect(await ask(cached())).toMatchObject({ status: 401, again: false })
  })

  test("the allow-list was changed", async () => {
    await warm()
    await Effect.runPromise(world.provisioning.updateProject(world.project.projectId, { allowedPrograms: [] }))
    expect(await ask(cached())).toMatchObject({ status: 400, again: false })
  })
})

test("stores that cannot tell give nothing again", async () => {
  const blind = await world.openAnother((stores) =>
    Layer.succeedContext(Context.add(stores, Freshness, { stamp: () => undefined })))
  const answers = new Set<unknown>()
  const before = world.requests.length
  for (let round = 0; round < 3; round += 1) {
    const headers = { authorization: `Bearer ${world.key}` }
    answers.add((await blind.fetch(seamRequest("GET", cached(), { headers })))?.body)
  }
  expect([answers.size, world.requests.length - before]).toEqual([1, 2])
  await blind.dispose()
})

describe("the store of answers", () => {
  const now = (steadyMs: number, stamp = 1, wallMs = steadyMs) => ({ clocks: () => ({ steadyMs, wallMs }), stamp: () => stamp, requestId: () => "id" })
  const request = (url: string, authorization = "Bearer k") => seamRequest("GET", url, { headers: { authorization } })
  const answer = { status: 200, body: "{}" }
  const forever = Number.POSITIVE_INFINITY
  const always = { sinceMs: 0, untilMs: forever, keyUntilMs: forever }

  test("ends an answer at its moment, and counts its age in whole seconds", () => {
    const answers = new HotAnswers()
    answers.keep(request("/a"), 1, answer, { sinceMs: 1_000, untilMs: 5_000, keyUntilMs: forever })
    const at = (nowMs: number) => answers.find(request("/a"), now(nowMs))
    expect(at(1_000)?.headers).toMatchObject({ age: "0", "x-request-id": "id" })
    expect(at(4_999)?.headers).toMatchObject({ age: "3" })
    expect(at(5_000)).toBeUndefined()
    expect(at(4_999)).toBeUndefined()
  })

  test("says of a result that is older than a minute that it is", () => {
    const answers = new HotAnswers()
    answers.keep(request("/a"), 1, answer, { ...always, sinceMs: 1_000 })
    const statusAt = (nowMs: number) => answers.find(request("/a"), now(nowMs))?.headers["cache-status"]
    expect(statusAt(61_000)).toBeUndefined()
    expect(statusAt(61_001)).toBe("sibyl; hit; detail=\"older than a minute\"")
    expect(cacheHeaders(86_400_000)).toEqual({
      "x-sibyl-cache": "hit", age: "86400", "cache-status": "sibyl; hit; detail=\"older than a minute\""
    })
  })

  test("counts ages on the clock that never goes back, and a key's life on the wall clock", () => {
    const answers = new HotAnswers()
    answers.keep(request("/a"), 1, answer, { sinceMs: 1_000, untilMs: 5_000, keyUntilMs: 900_000 })
    const at = (steadyMs: number, wallMs: number) => answers.find(request("/a"), now(steadyMs, 1, wallMs))?.headers
    expect(at(3_000, -3_600_000)).toMatchObject({ age: "2" })
    expect(at(3_000, 899_999)).toMatchObject({ age: "2" })
    expect(at(3_000, 900_000)).toBeUndefined()
    answers.keep(request("/a"), 1, answer, { sinceMs: 1_000, untilMs: 5_000, keyUntilMs: 900_000 })
    expect(at(5_000, -3_600_000)).toBeUndefined()
  })

  test("says of an unknown age that it is very large", () => {
    const answers = new HotAnswers()
    answers.keep(request("/a"), 1, answer, { ...always, sinceMs: Number.NEGATIVE_INFINITY })
    expect(answers.find(request("/a"), now(0))?.headers).toMatchObject({ age: "2147483648" })
  })

  test("is right until the result is too old or the key expires, whichever is first", () => {
    const facts = { nowMs: 10_000, ageMs: 2_000, apiKeyExpiresAtMs: null }
    expect(rememberedFor({}, facts)).toEqual({ remembered: { sinceMs: 8_000, untilMs: forever, keyUntilMs: forever } })
    expect(rememberedFor({}, { ...facts, maxAgeSeconds: 3 }).remembered?.untilMs).toBe(11_000)
    expect(rememberedFor({}, { ...facts, apiKeyExpiresAtMs: 10_500 }).remembered?.keyUntilMs).toBe(10_500)
    expect(rememberedFor({ includeSummary: true }, facts)).toEqual({})
  })

  test("forgets what was long unused, keeps nothing long, and tells keys apart", () => {
    const answers = new HotAnswers()
    const there = (url: string) => answers.find(request(url), now(0)) !== undefined
    answers.keep(request("/long"), 1, { status: 200, body: "x".repeat(65_537) }, always)
    expect(there("/long")).toBe(false)
    const keepMany = (from: number, to: number) => {
      for (let at = from; at < to; at += 1) answers.keep(request(`/${at}`), 1, answer, always)
    }
    keepMany(0, 2_048)
    expect(there("/0")).toBe(true)
    keepMany(2_048, 4_095)
    expect([there("/0"), there("/1"), there("/4094")]).toEqual([true, false, true])
    expect(answers.find(request("/0", "Bearer other"), now(0))).toBeUndefined()
    expect(answers.find(request("/0"), now(0, 2))).toBeUndefined()
  })
})
