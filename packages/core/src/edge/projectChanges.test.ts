/** Changes of a project or a key apply at once: over REST, on open sockets, in running feeds. */
import { Effect, Redacted } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { readApiKey } from "../domain/accounts/apiKey.ts"
import type { ProjectChange } from "../ports/provisioning.ts"
import { eventually, rpcClient, type Said } from "../testdata/rpcClient.ts"
import { openTestService, type OpenTestService, seamRequest, type TestServiceSetup } from "../testdata/testService.ts"

const longMs = 30_000
const opened: Array<OpenTestService> = []

const open = async (setup: TestServiceSetup = {}): Promise<OpenTestService> => {
  const testService = await openTestService(setup)
  opened.push(testService)
  return testService
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ service }) => service.dispose()))
})

const change = ({ project, provisioning }: OpenTestService, changes: ProjectChange) =>
  Effect.runPromise(provisioning.updateProject(project.projectId, changes))

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: { readonly _tag?: string; readonly data?: { readonly dataRequest: { readonly execGasLimit: string } } }
}

const get = async (testService: OpenTestService, path: string, key = testService.key): Promise<Answer> => {
  const response = await testService.service.fetch(seamRequest("GET", path, { headers: { authorization: `Bearer ${key}` } }))
  if (response === undefined || typeof response.body !== "string") throw new Error("no answer")
  return { ...response, body: JSON.parse(response.body) as Answer["body"] }
}

const execute = (testService: OpenTestService, query = "") =>
  get(testService, `/execute?execProgramId=${testService.execProgramId}${query}`)

describe("the next REST request", () => {
  it("obeys a changed allow-list, also for stored results", async () => {
    const testService = await open()
    expect((await execute(testService)).status).toBe(200)
    expect((await execute(testService, "&returnLastResult")).headers["x-sibyl-cache"]).toBe("hit")
    await change(testService, { allowedPrograms: [testService.tallyProgramId] })
    for (const query of ["", "&returnLastResult", "&dryRun", `&tallyProgramId=${testService.tallyProgramId}`]) {
      const refused = await execute(testService, query)
      expect([refused.status, refused.body._tag], query).toEqual([400, "ProgramNotAllowed"])
    }
    const stored = () => get(testService, `/execute/last-result?execProgramId=${testService.execProgramId}`)
    expect((await stored()).body._tag).toBe("ProgramNotAllowed")
    await change(testService, { allowedPrograms: [`0x${testService.execProgramId.toUpperCase()}`] })
    expect((await execute(testService, "&returnLastResult")).headers["x-sibyl-cache"]).toBe("hit")
    expect((await stored()).status).toBe(200)
    expect((await execute(testService)).status).toBe(200)
    const withTally = await execute(testService, `&returnLastResult&tallyProgramId=${testService.tallyProgramId}`)
    expect(withTally.body._tag).toBe("ProgramNotAllowed")
    await change(testService, { allowedPrograms: [] })
    expect((await execute(testService, "&returnLastResult")).body._tag).toBe("ProgramNotAllowed")
  })

  it("obeys changed gas limits: in the VM, in the signed request, in the hold", async () => {
    const testService = await open()
    await change(testService, { gasLimits: { exec: 5_000_000_000_000n, tally: 7n } })
    const ran = await execute(testService)
    expect(ran.body.data?.dataRequest).toMatchObject({ execGasLimit: "5000000000000", tallyGasLimit: "7" })
    expect(testService.requests.map(({ gasLimit, phase }) => [phase, gasLimit])).toEqual([
      ["exec", 5_000_000_000_000n],
      ["tally", 7n]
    ])
    // The worst case is what the gas limits cost, so more than the balance covers is refused before it runs.
    await change(testService, { gasLimits: { exec: 2n ** 63n - 1n } })
    expect([(await execute(testService)).status, testService.requests.length]).toEqual([403, 2])
    // Stored results were paid for under the old limits, and stay available.
    const remembered = await execute(testService, "&returnLastResult")
    expect([remembered.status, remembered.headers["x-sibyl-cache"]]).toEqual([200, "hit"])
  })

  it("obeys a changed usage limit and changed limits of its runs", async () => {
    const testService = await open()
    await change(testService, { usageLimit: { periodMs: 86_400_000, credits: 1n }, limits: { stdoutBytes: 9 } })
    const limited = await execute(testService)
    expect([limited.status, limited.body._tag]).toEqual([429, "CreditLimitExceeded"])
    await change(testService, { usageLimit: null })
    expect((await execute(testService)).status).toBe(200)
    expect(testService.requests.map(({ limits }) => limits.stdoutBytes)).toEqual([9, 9])
    await change(testService, { limits: { stdoutBytes: null, inputBytes: 2 } })
    expect((await execute(testService, "&execInputs=0x010203")).status).toBe(400)
    expect((await execute(testService, "&execInputs=0x0102")).status).toBe(200)
  })
})

describe("an open socket", () => {
  it("obeys a change in its requests and in every run of its feeds", { timeout: longMs }, async () => {
    const testService = await open()
    const client = await rpcClient(testService.service, testService.key)
    const params = { execProgramId: testService.execProgramId }
    const started = await client.ask("feed.start", { mode: "FIXED", periodicityMs: 20, execute: params })
    expect(started.result?.["feedId"]).toBeTypeOf("string")
    const nextRun = (what: string, is: (run: NonNullable<Said["params"]>) => boolean) => {
      const before = client.said().length
      return eventually(
        () =>
          client
            .said()
            .slice(before)
            .find((each) => each.params !== undefined && is(each.params)),
        what
      )
    }
    const failsBy = (tag: string) => nextRun(`a run that fails by ${tag}`, ({ error }) => error?._tag === tag)
    const succeeds = (what: string) => nextRun(what, ({ result }) => result !== undefined)
    await succeeds("a run before any change")

    await change(testService, { allowedPrograms: [] })
    await failsBy("ProgramNotAllowed")
    expect((await client.ask("feed.execute", params)).error?._tag).toBe("ProgramNotAllowed")
    const remembered = { ...params, returnLastResult: true }
    expect((await client.ask("feed.execute", remembered)).error?._tag).toBe("ProgramNotAllowed")

    await change(testService, { allowedPrograms: null, gasLimits: { exec: 11n, tally: 12n } })
    await succeeds("a run after the list was taken away")
    const ran = JSON.stringify((await client.ask("feed.execute", params)).result)
    expect(ran).toContain('"execGasLimit":"11"')
    expect(testService.requests.at(-1)?.gasLimit).toBe(12n)

    await change(testService, { usageLimit: { periodMs: 86_400_000, credits: 0n } })
    await failsBy("CreditLimitExceeded")
    await change(testService, { usageLimit: null })
    await succeeds("a run after the limit was taken away")
    expect(client.socket.closeFrames).toEqual([])
  })

  it("has the current limits of its project", { timeout: longMs }, async () => {
    const testService = await open({ project: { limits: { connectionsPerKey: 2, feedsPerConnection: 1 } } })
    const client = await rpcClient(testService.service, testService.key)
    const second = await rpcClient(testService.service, testService.key)
    await expect(rpcClient(testService.service, testService.key)).rejects.toThrow("429")
    second.socket.peer.closed(1000, "")
    const start = () =>
      client.ask("feed.start", {
        mode: "FIXED",
        periodicityMs: 60_000,
        execute: { execProgramId: testService.execProgramId }
      })
    expect((await start()).result?.["feedId"]).toBeTypeOf("string")
    expect((await start()).error?._tag).toBe("FeedLimit")
    await change(testService, { limits: { feedsPerConnection: 2, connectionsPerKey: 1 } })
    await eventually(async () => ((await start()).error === undefined ? true : undefined), "a second feed")
    expect((await start()).error?._tag).toBe("FeedLimit")
    await expect(rpcClient(testService.service, testService.key)).rejects.toThrow("429")
  })
})

describe("a rotated key", () => {
  const rotated = async (testService: OpenTestService, overlapMs: number): Promise<string> => {
    const apiKeyId = readApiKey(testService.key)?.apiKeyId ?? ""
    return Redacted.value((await Effect.runPromise(testService.keys.rotate(apiKeyId, { overlapMs }))).key)
  }

  it("is valid beside the new one while they overlap, then 401 with its sockets closed", { timeout: longMs }, async () => {
    const testService = await open()
    const [first, second] = [await rpcClient(testService.service, testService.key), await rpcClient(testService.service, testService.key)]
    const next = await rotated(testService, 1_500)
    const successor = await rpcClient(testService.service, next)
    expect((await get(testService, "/verify")).status).toBe(200)
    expect((await get(testService, "/verify", next)).status).toBe(200)
    expect([first, second, successor].map(({ socket }) => socket.closeFrames)).toEqual([[], [], []])
    const ended = [[1008, "the key is revoked or expired"]]
    for (const { socket } of [first, second]) {
      await eventually(() => (socket.closeFrames.length > 0 ? true : undefined), "the goodbye")
      expect(socket.closeFrames).toEqual(ended)
    }
    expect((await get(testService, "/verify")).status).toBe(401)
    await expect(rpcClient(testService.service, testService.key)).rejects.toThrow("401")
    expect((await get(testService, "/verify", next)).status).toBe(200)
    const answered = await successor.ask("feed.execute", { execProgramId: testService.execProgramId })
    expect([answered.error, successor.socket.closeFrames]).toEqual([undefined, []])
  })

  it("without an overlap is invalid at once", { timeout: longMs }, async () => {
    const testService = await open()
    const client = await rpcClient(testService.service, testService.key)
    const next = await rotated(testService, 0)
    expect((await get(testService, "/verify")).status).toBe(401)
    expect((await get(testService, "/verify", next)).status).toBe(200)
    await eventually(() => (client.socket.closeFrames.length > 0 ? true : undefined), "the goodbye")
    expect(client.socket.closeFrames.map(([code]) => code)).toEqual([1008])
  })
})
