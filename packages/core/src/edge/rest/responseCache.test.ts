/** Cached answers: the same bytes without a store access, and never a stale one. */
import { Context, Effect, Layer } from "effect"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { fromUtf8 } from "../../domain/encoding/bytes.ts"
import { Directory } from "../../ports/directory.ts"
import { Freshness } from "../../ports/freshness.ts"
import { Ledger } from "../../ports/ledger.ts"
import { ResultStore } from "../../ports/resultStore.ts"
import { outcome } from "../../testdata/scriptedRuntime.ts"
import { type OpenTestService, openTestService, seamRequest } from "../../testdata/testService.ts"
import { ResponseCache } from "./responseCache.ts"
import type { Service, ServiceRequest } from "../transport/seam.ts"
import { storedResultHeaders, type Validity, validityOf } from "./validity.ts"

let testService: OpenTestService
let service: Service
/** How often a key, a result or a balance was looked up, of which every request that is not served from the cache needs one. */
let lookUps: number

beforeEach(async () => {
  let runs = 0
  testService = await openTestService({
    script: () =>
      Effect.sync(() => {
        runs += 1
        return outcome({ result: fromUtf8(`run ${runs}`) })
      })
  })
  lookUps = 0
  service = await testService.openAnother((stores) => {
    const directory = Context.get(stores, Directory)
    const results = Context.get(stores, ResultStore)
    const ledger = Context.get(stores, Ledger)
    const counted = <Args extends ReadonlyArray<unknown>, A, E>(ask: (...args: Args) => Effect.Effect<A, E>) => {
      const count = Effect.sync(() => (lookUps += 1))
      return (...args: Args) => Effect.zipRight(count, ask(...args))
    }
    return Layer.succeedContext(
      stores.pipe(
        Context.add(Directory, { ...directory, authenticate: counted(directory.authenticate) }),
        Context.add(ResultStore, { ...results, last: counted(results.last) }),
        Context.add(Ledger, { ...ledger, hold: counted(ledger.hold) })
      )
    )
  })
})

afterEach(async () => {
  await service.dispose()
  await testService.service.dispose()
})

const target = (query: string, path = "/execute"): string => `${path}?execProgramId=${testService.execProgramId}&${query}`

const ask = async (url: string, method = "GET", key = testService.key) => {
  const before = lookUps
  const response = await service.fetch(seamRequest(method, url, { headers: { authorization: `Bearer ${key}` } }))
  if (response === undefined) throw new Error("no answer")
  const { body, headers, status } = response
  return { status, body: String(body), headers, again: lookUps === before }
}

const cached = (): string => target("returnLastResult=true")

/** Runs once, and requests the result until it is served from the cache. */
const warm = async (url = cached()) => {
  await ask(target(""))
  const first = await ask(url)
  expect(first).toMatchObject({ status: 200, again: false, headers: { "x-sibyl-cache": "hit" } })
  const second = await ask(url)
  expect(second).toMatchObject({ status: 200, again: true, body: first.body, headers: { "x-sibyl-cache": "hit" } })
  return { first, second }
}

describe("a cached result", () => {
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

  test("is at hand as soon as it is asked for, so that a runtime need not keep the request", async () => {
    await warm()
    const request = seamRequest("GET", cached(), { headers: { authorization: `Bearer ${testService.key}` } })
    expect(await Promise.race([service.fetch(request), Promise.resolve("pending")])).toMatchObject({ status: 200 })
    expect(service.fetch.atOnce?.(request)).toMatchObject({ status: 200 })
    const anew = seamRequest("GET", target(""), { headers: { authorization: `Bearer ${testService.key}` } })
    const running = service.fetch(anew)
    expect(await Promise.race([running, Promise.resolve("pending")])).toBe("pending")
    expect(await running).toMatchObject({ status: 200 })
  })

  test("is not used for another encoding, key, method or path", async () => {
    await warm()
    expect(await ask(`${cached()}&encoding=utf8`)).toMatchObject({ status: 200, again: false })
    expect(await ask(cached(), "HEAD")).toMatchObject({ status: 405 })
    expect(await ask(cached(), "DELETE")).toMatchObject({ status: 405 })
    expect(await ask(target("", "/execute/last-result"))).toMatchObject({ status: 200, again: false })
    expect(await ask(cached(), "GET", `${testService.key}0`)).toMatchObject({ status: 401, again: false })
  })

  test("is never used with a summary, which shows the current balance", async () => {
    await ask(target(""))
    const url = `${cached()}&includeSummary=true`
    expect([(await ask(url)).again, (await ask(url)).again]).toEqual([false, false])
  })

  test("is not used for a request that runs", async () => {
    await warm()
    const [one, two] = [await ask(target("")), await ask(target(""))]
    expect(one.body).not.toBe(two.body)
    expect([one.again, two.again]).toEqual([false, false])
  })
})

describe("the cache is not used after", () => {
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
    await testService.service.fetch(seamRequest("GET", target(""), { headers: { authorization: `Bearer ${testService.key}` } }))
    const next = await ask(cached())
    expect(next.again).toBe(false)
    expect(next.body).not.toBe(first.body)
  })

  test("the key was revoked", async () => {
    await warm()
    const [key] = await Effect.runPromise(testService.keys.list(testService.project.projectId))
    await Effect.runPromise(testService.keys.revoke(key?.apiKeyId ?? ""))
    expect(await ask(cached())).toMatchObject({ status: 401, again: false })
  })

  test("the allow-list was changed", async () => {
    await warm()
    await Effect.runPromise(testService.provisioning.updateProject(testService.project.projectId, { allowedPrograms: [] }))
    expect(await ask(cached())).toMatchObject({ status: 400, again: false })
  })
})

test("nothing is cached if the stores report no version", async () => {
  const blind = await testService.openAnother((stores) =>
    Layer.succeedContext(Context.add(stores, Freshness, { version: () => undefined, settings: () => undefined }))
  )
  const answers = new Set<unknown>()
  const before = testService.requests.length
  for (let round = 0; round < 3; round += 1) {
    const headers = { authorization: `Bearer ${testService.key}` }
    answers.add((await blind.fetch(seamRequest("GET", cached(), { headers })))?.body)
  }
  expect([answers.size, testService.requests.length - before]).toEqual([1, 2])
  await blind.dispose()
})

const forever = Number.POSITIVE_INFINITY
const always: Validity = { sinceMs: 0, untilMs: forever, keyUntilMs: forever }

describe("the cache around a fetch", () => {
  /** A cache whose fetch answers each request once with a validity, and then with `undefined`. */
  const open = () => {
    const now = { steadyMs: 0, wallMs: 0, version: 1 as number | undefined }
    let made: { readonly validity: Validity; readonly body: string } | undefined
    const cache = new ResponseCache({ clocks: () => now, version: () => now.version, requestId: () => "id" })
    const fetch = cache.around(async () => (made === undefined ? undefined : { status: 200, headers: {}, ...made }))
    const request = (url: string, authorization = "Bearer k", method = "GET") =>
      fetch(seamRequest(method, url, { headers: { authorization } }))
    return {
      now,
      /** Requests an uncached answer, which is then cached. */
      keep: async (url: string, validity: Validity = always, body = "{}", method = "GET") => {
        made = { validity, body }
        const response = await request(url, "Bearer k", method)
        made = undefined
        return response
      },
      /** The cached answer at a time of both clocks. */
      again: (url: string, steadyMs = 0, wallMs = steadyMs, authorization = "Bearer k") => {
        Object.assign(now, { steadyMs, wallMs })
        return request(url, authorization)
      }
    }
  }

  test("expires an answer on time, and counts its age in whole seconds", async () => {
    const { again, keep } = open()
    await keep("/a", { sinceMs: 1_000, untilMs: 5_000, keyUntilMs: forever })
    expect((await again("/a", 1_000))?.headers).toMatchObject({ age: "0", "x-request-id": "id" })
    expect((await again("/a", 4_999))?.headers).toMatchObject({ age: "3" })
    expect(await again("/a", 5_000)).toBeUndefined()
    expect(await again("/a", 4_999)).toBeUndefined()
  })

  test("marks a result that is older than a minute", async () => {
    const { again, keep } = open()
    await keep("/a", { ...always, sinceMs: 1_000 })
    const statusAt = async (nowMs: number) => (await again("/a", nowMs))?.headers["cache-status"]
    expect(await statusAt(61_000)).toBeUndefined()
    expect(await statusAt(61_001)).toBe('sibyl; hit; detail="older than a minute"')
    expect(storedResultHeaders(86_400_000)).toEqual({
      "x-sibyl-cache": "hit",
      age: "86400",
      "cache-status": 'sibyl; hit; detail="older than a minute"'
    })
  })

  test("counts ages on the monotonic clock, and a key's expiry on the wall clock", async () => {
    const { again, keep } = open()
    const validity = { sinceMs: 1_000, untilMs: 5_000, keyUntilMs: 900_000 }
    await keep("/a", validity)
    expect((await again("/a", 3_000, -3_600_000))?.headers).toMatchObject({ age: "2" })
    expect((await again("/a", 3_000, 899_999))?.headers).toMatchObject({ age: "2" })
    expect(await again("/a", 3_000, 900_000)).toBeUndefined()
    await keep("/a", validity)
    expect(await again("/a", 5_000, -3_600_000)).toBeUndefined()
  })

  test("reports an unknown age as the maximum", async () => {
    const { again, keep } = open()
    await keep("/a", { ...always, sinceMs: Number.NEGATIVE_INFINITY })
    expect((await again("/a"))?.headers).toMatchObject({ age: "2147483648" })
  })

  test("removes the validity from the answer", async () => {
    const { keep } = open()
    expect(Object.keys((await keep("/a")) ?? {})).toEqual(["status", "headers", "body"])
    expect(Object.keys((await keep("/a", always, "{}", "POST")) ?? {})).toEqual(["status", "headers", "body"])
  })

  test("caches answers to GETs only, and none while the stores report no version", async () => {
    const { again, keep, now } = open()
    await keep("/a", always, "{}", "POST")
    expect(await again("/a")).toBeUndefined()
    now.version = undefined
    await keep("/a")
    expect(await again("/a")).toBeUndefined()
  })

  test("caches an answer under the stores' version before it was made", async () => {
    const now = { steadyMs: 0, wallMs: 0 }
    let version = 1
    let made = 0
    const fetch = new ResponseCache({ clocks: () => now, version: () => version, requestId: () => "id" }).around(async () => {
      // A change by another request while the first one is answered.
      if (made === 0) version = 2
      return { status: 200, headers: {}, body: `${(made += 1)}`, validity: always }
    })
    const ask = async () => (await fetch(seamRequest("GET", "/a", { headers: { authorization: "Bearer k" } })))?.body
    expect([await ask(), await ask(), await ask()]).toEqual(["1", "2", "2"])
  })

  test("passes on a request whose headers cannot be read", async () => {
    const clocks = () => ({ steadyMs: 0, wallMs: 0 })
    const cache = new ResponseCache({ clocks, version: () => 1, requestId: () => "id" })
    const fetch = cache.around(async ({ url }) => ({ status: 200, headers: {}, body: url, validity: always }))
    const unreadable: ServiceRequest = {
      ...seamRequest("GET", "/a"),
      header: () => {
        throw new Error("headers are gone")
      }
    }
    expect([await fetch(unreadable), await fetch(unreadable)]).toEqual(
      Array.from({ length: 2 }, () => ({ status: 200, headers: {}, body: "/a" }))
    )
  })

  test("evicts unused answers, caches no long ones, and separates keys", async () => {
    const { again, keep, now } = open()
    const there = async (url: string) => (await again(url)) !== undefined
    await keep("/long", always, "x".repeat(65_537))
    expect(await there("/long")).toBe(false)
    const keepMany = async (from: number, to: number) => {
      for (let at = from; at < to; at += 1) await keep(`/${at}`)
    }
    await keepMany(0, 2_048)
    expect(await there("/0")).toBe(true)
    await keepMany(2_048, 4_095)
    expect([await there("/0"), await there("/1"), await there("/4094")]).toEqual([true, false, true])
    expect(await again("/0", 0, 0, "Bearer other")).toBeUndefined()
    now.version = 2
    expect(await again("/0")).toBeUndefined()
  })
})

test("an answer is valid until its result is too old or the key expires, whichever is first", () => {
  const facts = { nowMs: 10_000, ageMs: 2_000, apiKeyExpiresAtMs: null }
  expect(validityOf({}, facts)).toEqual({ validity: { sinceMs: 8_000, untilMs: forever, keyUntilMs: forever } })
  expect(validityOf({}, { ...facts, maxAgeSeconds: 3 }).validity?.untilMs).toBe(11_000)
  expect(validityOf({}, { ...facts, apiKeyExpiresAtMs: 10_500 }).validity?.keyUntilMs).toBe(10_500)
  expect(validityOf({ includeSummary: true }, facts)).toEqual({})
})
