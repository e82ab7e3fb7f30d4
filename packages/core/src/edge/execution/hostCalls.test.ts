/** What a program asked of the outside world, as clients see it: with debug information only, and not in the public network's profile. */
import { Effect } from "effect"
import { afterEach, expect, it } from "vitest"
import { outcome } from "../../testdata/scriptedRuntime.ts"
import { openTestService, type OpenTestService, seamRequest, type TestServiceSetup } from "../../testdata/testService.ts"

const hostCalls = [
  { kind: "fetch", request: "GET https://prices.example/btc", status: 200, bytes: 512, answeredAfterMs: 31 },
  { kind: "fetch", request: "GET https://slow.example/", bytes: 0, answeredAfterMs: 2_031 }
] as const

const opened: Array<OpenTestService> = []
afterEach(() => Promise.all(opened.splice(0).map(({ service }) => service.dispose())))

const open = async (options: TestServiceSetup["options"] = {}): Promise<OpenTestService> => {
  const script: TestServiceSetup["script"] = ({ phase }) => Effect.succeed(outcome(phase === "exec" ? { hostCalls } : {}))
  const testService = await openTestService({ script, options })
  opened.push(testService)
  return testService
}

const ask = async ({ execProgramId, key, service }: OpenTestService, query: string, path = "/execute") => {
  const target = `${path}?execProgramId=${execProgramId}&${query}`
  const response = await service.fetch(seamRequest("GET", target, { headers: { authorization: `Bearer ${key}` } }))
  const { data } = JSON.parse(String(response?.body)) as { readonly data: Record<string, Record<string, unknown> | undefined> }
  return { exec: data["execute"]?.["hostCalls"], tally: data["tally"]?.["hostCalls"], text: String(response?.body) }
}

it("is in the execution phase of the debug information, and in that of the stored run", async () => {
  const testService = await open()
  expect(await ask(testService, "includeDebugInfo=true")).toMatchObject({ exec: hostCalls, tally: undefined })
  expect(await ask(testService, "includeDebugInfo=true", "/execute/last-result")).toMatchObject({ exec: hostCalls, tally: undefined })
})

it("adds nothing to an answer without debug information, nor in the profile of the public network", async () => {
  expect((await ask(await open(), "includeSummary=true")).text).not.toContain("hostCalls")
  expect((await ask(await open({ profile: "public-network" }), "includeDebugInfo=true")).text).not.toContain("hostCalls")
})
