/** Prefetching in a deployment: a real upstream, which gets the requests concurrently from the second run on. */
import { mkdtemp, rm } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { toWebHandler } from "@sibyl/core"
import { assemble } from "@sibyl/testing/wasm"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { openSibyl } from "./service/openSibyl.ts"
import type { Sibyl } from "./service/sibyl.ts"

const paths = ["/a", "/b", "/c"]
const actions = paths.map((path) => JSON.stringify({ url: `http://upstream.test${path}`, options: {} }))
const placeOf = (at: number): number => 1_024 * (at + 1)

/** Requests one path after the other. */
const program = assemble(`
import http_fetch
import proc_exit
${actions.map((text, at) => `data ${placeOf(at)} ${JSON.stringify(text)}`).join("\n")}
${actions.map((text, at) => `  i32.const ${placeOf(at)}\n  i32.const ${text.length}\n  call http_fetch\n  drop`).join("\n")}
  i32.const 0
  call proc_exit`)

let folder: string
let upstream: Server
let sibyl: Sibyl
/** Requests that the upstream has not answered yet, and their maximum. */
let [open, most] = [0, 0]

beforeAll(async () => {
  // The service logs to the console at the level debug.
  vi.spyOn(globalThis.console, "log").mockImplementation(() => {})
  folder = await mkdtemp(join(tmpdir(), "sibyl-prefetch-"))
  upstream = createServer((_, response) => {
    most = Math.max(most, (open += 1))
    // Long enough for three concurrent requests to overlap.
    setTimeout(() => {
      open -= 1
      response.end("42")
    }, 300)
  })
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve))
  const { port } = upstream.address() as AddressInfo
  sibyl = await openSibyl({
    database: join(folder, "sibyl.sqlite"),
    workers: 1,
    logLevel: "debug",
    outbound: { hostOverrides: { "upstream.test": `http://127.0.0.1:${port}` } }
  })
})

afterAll(async () => {
  await sibyl.close()
  vi.restoreAllMocks()
  upstream.close()
  await rm(folder, { recursive: true, force: true })
})

interface Answer {
  readonly data: {
    readonly dataResult: { readonly exitCode: number; readonly gasUsed: string }
    readonly summary: { readonly creditsUsed: string }
    readonly execute: { readonly prefetch?: unknown }
  }
}

it("sends the previous run's requests concurrently, at the same gas and price, unless it is switched off", async () => {
  const programId = await sibyl.deploy(program)
  const keyOf = async (limits: { readonly httpPrefetches?: number }): Promise<string> => {
    const { projectId } = await sibyl.createProject({ organizationSlug: "acme", limits })
    await sibyl.grant(projectId, 1_000_000n)
    return (await sibyl.issueKey(projectId)).key
  }
  const run = async (key: string, query = "") => {
    most = 0
    const target = `http://service/execute?execProgramId=${programId}&includeDebugInfo&includeSummary${query}`
    const response = await toWebHandler(sibyl.service)(new Request(target, { headers: { authorization: `Bearer ${key}` } }))
    if (response === undefined) throw new Error("the path is not the service's")
    const { data } = (await response.json()) as Answer
    const { dataResult, execute, summary } = data
    expect(dataResult.exitCode).toBe(0)
    return { most, prefetch: execute.prefetch, cost: [dataResult.gasUsed, summary.creditsUsed] }
  }
  const key = await keyOf({})
  const first = await run(key)
  expect(first).toMatchObject({ most: 1, prefetch: undefined })
  const second = await run(key)
  const lines = vi.mocked(globalThis.console.log).mock.calls.flat().join("\n")
  expect(lines).toMatch(new RegExp(`prefetched 3 requests, 3 of them were used.*programId=${programId}`))
  expect(second).toEqual({ most: 3, prefetch: { requested: 3, used: 3 }, cost: first.cost })
  expect(await run(key, "&noPrefetch")).toEqual(first)
  const withoutPrefetch = await keyOf({ httpPrefetches: 0 })
  expect([await run(withoutPrefetch), await run(withoutPrefetch)]).toEqual([first, first])
})
