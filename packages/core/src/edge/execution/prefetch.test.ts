/** Prefetching as clients see it: switched off per request and per project, reported with debug information only. */
import { Effect } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { eventually, rpcClient } from "../../testdata/rpcClient.ts"
import { outcome } from "../../testdata/scriptedRuntime.ts"
import { openTestService, type OpenTestService, seamRequest, type TestServiceSetup } from "../../testdata/testService.ts"

const opened: Array<OpenTestService> = []

/** A service whose runtime prefetches as many requests as allowed. */
const open = async (setup: TestServiceSetup = {}): Promise<OpenTestService> => {
  const script: TestServiceSetup["script"] = ({ limits: { httpPrefetches }, phase }) =>
    Effect.succeed(outcome(phase === "exec" && httpPrefetches > 0 ? { prefetch: { requested: httpPrefetches, used: 2 } } : {}))
  const testService = await openTestService({ script, ...setup })
  opened.push(testService)
  return testService
}

afterEach(() => Promise.all(opened.splice(0).map(({ service }) => service.dispose())))

interface Answer {
  readonly data: { readonly execute?: Readonly<Record<string, unknown>>; readonly tally?: Readonly<Record<string, unknown>> }
}

const get = async ({ execProgramId, key, service }: OpenTestService, query: string, path = "/execute"): Promise<Answer> => {
  const target = `${path}?execProgramId=${execProgramId}&${query}`
  const response = await service.fetch(seamRequest("GET", target, { headers: { authorization: `Bearer ${key}` } }))
  return JSON.parse(String(response?.body)) as Answer
}

const phaseKeys = ["result", "gasUsed", "stdout", "stderr", "exitCode"]

describe("prefetching", () => {
  it("is on by default, and reported in the execution phase of the debug information", async () => {
    const { data } = await get(await open(), "includeDebugInfo=true")
    expect(data.execute?.["prefetch"]).toEqual({ requested: 10, used: 2 })
    expect(Object.keys(data.execute ?? {})).toEqual([...phaseKeys, "prefetch"])
    expect(Object.keys(data.tally ?? {})).toEqual(phaseKeys)
  })

  it("adds nothing to an answer without debug information, nor in the profile of the public network", async () => {
    const plain = await get(await open(), "includeSummary=true")
    expect(JSON.stringify(plain)).not.toContain("prefetch")
    const { data } = await get(await open({ options: { profile: "public-network" } }), "includeDebugInfo=true")
    expect(Object.keys(data.execute ?? {})).toEqual(phaseKeys)
  })

  it("is reported unchanged for a stored run", async () => {
    const testService = await open()
    await get(testService, "")
    const { data } = await get(testService, "includeDebugInfo=true", "/execute/last-result")
    expect(data.execute?.["prefetch"]).toEqual({ requested: 10, used: 2 })
  })

  it("is off for one request, over REST and over WebSocket, and for every run of a feed", async () => {
    const testService = await open()
    const { data } = await get(testService, "includeDebugInfo=true&noPrefetch=true")
    expect(Object.keys(data.execute ?? {})).toEqual(phaseKeys)
    const client = await rpcClient(testService.service, testService.key)
    const params = { execProgramId: testService.execProgramId, includeDebugInfo: true }
    const on = await client.ask("feed.execute", params)
    const off = await client.ask("feed.execute", { ...params, noPrefetch: true })
    const shown = (result: unknown) => (result as Answer).data.execute?.["prefetch"]
    expect([shown(on.result), shown(off.result)]).toEqual([{ requested: 10, used: 2 }, undefined])
    const execute = { ...params, noPrefetch: "1" }
    await client.ask("feed.start", { mode: "SEQUENTIAL", periodicityMs: 10, execute })
    const runs = () => client.said().flatMap(({ params: run }) => (run?.result === undefined ? [] : [run.result]))
    await eventually(() => (runs().length >= 2 ? true : undefined), "two runs of the feed")
    expect(runs().map(shown)).toEqual(runs().map(() => undefined))
  })

  it("follows the project's limit from its change on", async () => {
    const testService = await open({ project: { limits: { httpPrefetches: 0 } } })
    const shown = async () => (await get(testService, "includeDebugInfo=true")).data.execute?.["prefetch"]
    expect(await shown()).toBeUndefined()
    const change = (httpPrefetches: number | null) =>
      Effect.runPromise(testService.provisioning.updateProject(testService.project.projectId, { limits: { httpPrefetches } }))
    await change(3)
    expect(await shown()).toEqual({ requested: 3, used: 2 })
    await change(null)
    expect(await shown()).toEqual({ requested: 10, used: 2 })
  })

  it("follows the service's limit if the project has none", async () => {
    const testService = await open({ options: { limits: { httpPrefetches: 0 } } })
    expect((await get(testService, "includeDebugInfo=true")).data.execute?.["prefetch"]).toBeUndefined()
  })
})
