/** Resolving names: the hosts file, name servers run by the test, the cache, and the limits of silent servers. */
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { hostsFile, parseHosts } from "./hostsFile.ts"
import { NameCache, TooManyNames } from "./nameCache.ts"
import { openNames } from "./names.ts"
import { type NameServer, startNameServer } from "./testdata/nameServer.ts"

let server: NameServer

beforeEach(async () => {
  server = await startNameServer()
})
afterEach(() => server.close())

const resolveWith = (projectId = "project") => openNames({ dnsServers: [server.address] })(projectId, false)

describe("a program's name", () => {
  it("has the addresses from the name servers, of both families, requested once", async () => {
    const resolve = resolveWith()
    const found = ["192.0.43.8", "2620:0:2d00:200::1"]
    expect(await Promise.all([resolve("public.test"), resolve("PUBLIC.test")])).toEqual([found, found])
    expect(await resolve("public.test")).toEqual(found)
    expect(server.asked).toEqual(["public.test", "public.test"])
    expect(await resolve("gone.test")).toEqual([])
  })

  it("under localhost is loopback, without a request", async () => {
    const resolve = resolveWith()
    expect(await resolve("localhost")).toEqual(["127.0.0.1", "::1"])
    expect(await resolve("a.localhost")).toEqual(["127.0.0.1", "::1"])
    expect(server.asked).toEqual([])
  })

  it("that is never answered times out, and does not delay another project's", async () => {
    const names = openNames({ dnsServers: [server.address] })
    const silent = Promise.allSettled(Array.from({ length: 100 }, (_, at) => names("a", false)(`silent-${at}.test`)))
    expect(await names("b", false)("public.test")).toHaveLength(2)
    const ended = await silent
    expect(ended.filter(({ status }) => status === "rejected")).toHaveLength(68)
    expect(ended.flatMap((end) => (end.status === "fulfilled" ? end.value : []))).toEqual([])
  })
})

describe("the cache", () => {
  const cached = (ttlSeconds: number, addresses: ReadonlyArray<string>) => {
    let nowMs = 0
    const asked: Array<string> = []
    const cache = new NameCache(
      (hostname) => {
        asked.push(hostname)
        return Promise.resolve({ addresses, ttlSeconds })
      },
      () => nowMs
    )
    /** How often a name was requested, when looked up now and after this time. */
    return async (laterMs: number): Promise<number> => {
      nowMs = 0
      asked.length = 0
      const name = `${laterMs}.test`
      expect(await cache.addresses(name, "a")).toEqual(addresses)
      nowMs = laterMs
      expect(await cache.addresses(name, "b")).toEqual(addresses)
      return asked.length
    }
  }

  it.each([
    [60, ["192.0.2.1"], 60_000],
    [0, ["192.0.2.1"], 1_000],
    [86_400, ["192.0.2.1"], 300_000],
    [60, [], 2_000]
  ])("keeps an answer for %i s with %j for %i ms", async (ttlSeconds, addresses, heldMs) => {
    const askedAfter = cached(ttlSeconds, addresses)
    expect([await askedAfter(heldMs - 1), await askedAfter(heldMs)]).toEqual([1, 2])
  })

  it("limits the pending names of one project", async () => {
    const cache = new NameCache(() => new Promise(() => undefined))
    for (let at = 0; at < 32; at += 1) void cache.addresses(`${at}.test`, "a")
    await expect(cache.addresses("33.test", "a")).rejects.toBeInstanceOf(TooManyNames)
    // One that is already pending does not count.
    const same = cache.addresses("0.test", "a")
    expect(await Promise.race([same, Promise.resolve("waits")])).toBe("waits")
    expect(await Promise.race([cache.addresses("33.test", "b"), Promise.resolve("waits")])).toBe("waits")
  })

  it("limits the pending look-ups of prefetched requests, and counts the others separately", async () => {
    const cache = new NameCache(() => new Promise(() => undefined))
    const pending = async (projectId: string, name: string, isAhead = false): Promise<boolean> => {
      const refused = cache.addresses(name, projectId, isAhead).then(
        () => false,
        () => false
      )
      // A refusal is there at once.
      return Promise.race([refused, new Promise<boolean>((resolve) => setImmediate(() => resolve(true)))])
    }
    for (let at = 0; at < 256; at += 1) expect(await pending(`p${at >> 5}`, `${at}.test`, true)).toBe(true)
    expect(await pending("p9", "one-more.test", true)).toBe(false)
    for (let at = 0; at < 32; at += 1) expect(await pending("p0", `other-${at}.test`)).toBe(true)
    expect(await pending("p0", "too-many.test")).toBe(false)
  })
})

describe("the hosts file", () => {
  it("is parsed like the system does", () => {
    const text = "# names\n127.0.0.1 localhost\n10.0.0.1\tA.test  b.test # c.test\n::1 a.test\nnonsense d.test\n\n1.2.3.4"
    expect([...parseHosts(text)]).toEqual([
      ["localhost", ["127.0.0.1"]],
      ["a.test", ["10.0.0.1", "::1"]],
      ["b.test", ["10.0.0.1"]]
    ])
  })

  it("is read again if it has changed, and may be missing", () => {
    const folder = mkdtempSync(join(tmpdir(), "sibyl-hosts-"))
    const path = join(folder, "hosts")
    let nowMs = 0
    const find = hostsFile(path, () => nowMs)
    const foundAt = (ms: number): ReadonlyArray<string> => {
      nowMs = ms
      return find("a.test")
    }
    try {
      expect(foundAt(0)).toEqual([])
      writeFileSync(path, "10.0.0.1 a.test")
      expect(foundAt(1_000)).toEqual(["10.0.0.1"])
      writeFileSync(path, "10.0.0.2 a.test")
      utimesSync(path, 1, 1)
      expect([foundAt(1_999), foundAt(2_000)]).toEqual([["10.0.0.1"], ["10.0.0.2"]])
      rmSync(path)
      expect(foundAt(3_000)).toEqual([])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
