/** What an operator changes of a project or a key is in force at once: over REST, on open sockets, in running feeds. */
import { Effect, Redacted } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { readApiKey } from "../domain/accounts/apiKey.ts"
import type { ProjectChange } from "../ports/provisioning.ts"
import { eventually, rpcClient, type Said } from "../testdata/rpcClient.ts"
import { openWorld, type OpenWorld, seamRequest, type WorldSetup } from "../testdata/world.ts"

const longMs = 30_000
const opened: Array<OpenWorld> = []

const open = async (setup: WorldSetup = {}): Promise<OpenWorld> => {
  const world = await openWorld(setup)
  opened.push(world)
  return world
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ service }) => service.dispose()))
})

const change = ({ project, provisioning }: OpenWorld, changes: ProjectChange) =>
  Effect.runPromise(provisioning.updateProject(project.projectId, changes))

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: { readonly _tag?: string; readonly data?: { readonly dataRequest: { readonly execGasLimit: string } } }
}

const get = async (world: OpenWorld, path: string, key = world.key): Promise<Answer> => {
  const response = await world.service.fetch(seamRequest("GET", path, { headers: { authorization: `Bearer ${key}` } }))
  if (response === undefined || typeof response.body !== "string") throw new Error("no answer")
  return { ...response, body: JSON.parse(response.body) as Answer["body"] }
}

const execute = (world: OpenWorld, query = "") => get(world, `/execute?execProgramId=${world.execProgramId}${query}`)

describe("the next REST request", () => {
  it("obeys a changed allow-list, remembered results too", async () => {
    const world = await open()
    expect((await execute(world)).status).toBe(200)
    expect((await execute(world, "&returnLastResult")).headers["x-sibyl-cache"]).toBe("hit")
    await change(world, { allowedPrograms: [world.tallyProgramId] })
    for (const query of ["", "&returnLastResult", "&dryRun", `&tallyProgramId=${world.tallyProgramId}`]) {
      const refused = await execute(world, query)
      expect([refused.status, refused.body._tag], query).toEqual([400, "ProgramNotAllowed"])
    }
    const stored = () => get(world, `/execute/last-result?execProgramId=${world.execProgramId}`)
    expect((await stored()).body._tag).toBe("ProgramNotAllowed")
    await change(world, { allowedPrograms: [`0x${world.execProgramId.toUpperCase()}`] })
    expect((await execute(world, "&returnLastResult")).headers["x-sibyl-cache"]).toBe("hit")
    expect((await stored()).status).toBe(200)
    expect((await execute(world)).status).toBe(200)
    const withTally = await execute(world, `&returnLastResult&tallyProgramId=${world.tallyProgramId}`)
    expect(withTally.body._tag).toBe("ProgramNotAllowed")
    await change(world, { allowedPrograms: [] })
    expect((await execute(world, "&returnLastResult")).body._tag).toBe("ProgramNotAllowed")
  })

  it("obeys changed gas limits: in the machine, in what is signed, in what is held", async () => {
    const world = await open()
    await change(world, { gasLimits: { exec: 5_000_000_000_000n, tally: 7n } })
    const ran = await execute(world)
    expect(ran.body.data?.dataRequest).toMatchObject({ execGasLimit: "5000000000000", tallyGasLimit: "7" })
    expect(world.requests.map(({ gasLimit, phase }) => [phase, gasLimit])).toEqual([
      ["exec", 5_000_000_000_000n],
      ["tally", 7n]
    ])
    // The worst case is what the gas limits cost, so more than the balance covers is refused before it runs.
    await change(world, { gasLimits: { exec: 2n ** 63n - 1n } })
    expect([(await execute(world)).status, world.requests.length]).toEqual([403, 2])
    // What is remembered was paid for under the old limits; a changed one loses nothing.
    const remembered = await execute(world, "&returnLastResult")
    expect([remembered.status, remembered.headers["x-sibyl-cache"]]).toEqual([200, "hit"])
  })

  it("obeys a changed usage limit and changed limits of its runs", async () => {
    const world = await open()
    await change(world, { usageLimit: { periodMs: 86_400_000, credits: 1n }, limits: { stdoutBytes: 9 } })
    const limited = await execute(world)
    expect([limited.status, limited.body._tag]).toEqual([429, "CreditLimitExceeded"])
    await change(world, { usageLimit: null })
    expect((await execute(world)).status).toBe(200)
    expect(world.requests.map(({ limits }) => limits.stdoutBytes)).toEqual([9, 9])
    await change(world, { limits: { stdoutBytes: null, inputBytes: 2 } })
    expect((await execute(world, "&execInputs=0x010203")).status).toBe(400)
    expect((await execute(world, "&execInputs=0x0102")).status).toBe(200)
  })
})

describe("an open socket", () => {
  it("obeys a change in its requests and in every run of its feeds", { timeout: longMs }, async () => {
    const world = await open()
    const client = await rpcClient(world.service, world.key)
    const params = { execProgramId: world.execProgramId }
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

    await change(world, { allowedPrograms: [] })
    await failsBy("ProgramNotAllowed")
    expect((await client.ask("feed.execute", params)).error?._tag).toBe("ProgramNotAllowed")
    const remembered = { ...params, returnLastResult: true }
    expect((await client.ask("feed.execute", remembered)).error?._tag).toBe("ProgramNotAllowed")

    await change(world, { allowedPrograms: null, gasLimits: { exec: 11n, tally: 12n } })
    await succeeds("a run after the list was taken away")
    const ran = JSON.stringify((await client.ask("feed.execute", params)).result)
    expect(ran).toContain('"execGasLimit":"11"')
    expect(world.requests.at(-1)?.gasLimit).toBe(12n)

    await change(world, { usageLimit: { periodMs: 86_400_000, credits: 0n } })
    await failsBy("CreditLimitExceeded")
    await change(world, { usageLimit: null })
    await succeeds("a run after the limit was taken away")
    expect(client.socket.goodbyes).toEqual([])
  })

  it("has the limits of its project, as they are now", { timeout: longMs }, async () => {
    const world = await open({ project: { limits: { connectionsPerKey: 2, feedsPerConnection: 1 } } })
    const client = await rpcClient(world.service, world.key)
    const second = await rpcClient(world.service, world.key)
    await expect(rpcClient(world.service, world.key)).rejects.toThrow("429")
    second.socket.peer.closed(1000, "")
    const start = () =>
      client.ask("feed.start", {
        mode: "FIXED",
        periodicityMs: 60_000,
        execute: { execProgramId: world.execProgramId }
      })
    expect((await start()).result?.["feedId"]).toBeTypeOf("string")
    expect((await start()).error?._tag).toBe("FeedLimit")
    await change(world, { limits: { feedsPerConnection: 2, connectionsPerKey: 1 } })
    await eventually(async () => ((await start()).error === undefined ? true : undefined), "a second feed")
    expect((await start()).error?._tag).toBe("FeedLimit")
    await expect(rpcClient(world.service, world.key)).rejects.toThrow("429")
  })
})

describe("a rotated key", () => {
  const rotated = async (world: OpenWorld, overlapMs: number): Promise<string> => {
    const apiKeyId = readApiKey(world.key)?.apiKeyId ?? ""
    return Redacted.value((await Effect.runPromise(world.keys.rotate(apiKeyId, { overlapMs }))).key)
  }

  it("is good beside the new one while they overlap, then 401 and its sockets closed", { timeout: longMs }, async () => {
    const world = await open()
    const [first, second] = [await rpcClient(world.service, world.key), await rpcClient(world.service, world.key)]
    const next = await rotated(world, 1_500)
    const successor = await rpcClient(world.service, next)
    expect((await get(world, "/verify")).status).toBe(200)
    expect((await get(world, "/verify", next)).status).toBe(200)
    expect([first, second, successor].map(({ socket }) => socket.goodbyes)).toEqual([[], [], []])
    const ended = [[1008, "the key is revoked or expired"]]
    for (const { socket } of [first, second]) {
      await eventually(() => (socket.goodbyes.length > 0 ? true : undefined), "the goodbye")
      expect(socket.goodbyes).toEqual(ended)
    }
    expect((await get(world, "/verify")).status).toBe(401)
    await expect(rpcClient(world.service, world.key)).rejects.toThrow("401")
    expect((await get(world, "/verify", next)).status).toBe(200)
    const answered = await successor.ask("feed.execute", { execProgramId: world.execProgramId })
    expect([answered.error, successor.socket.goodbyes]).toEqual([undefined, []])
  })

  it("without an overlap ends at once", { timeout: longMs }, async () => {
    const world = await open()
    const client = await rpcClient(world.service, world.key)
    const next = await rotated(world, 0)
    expect((await get(world, "/verify")).status).toBe(401)
    expect((await get(world, "/verify", next)).status).toBe(200)
    await eventually(() => (client.socket.goodbyes.length > 0 ? true : undefined), "the goodbye")
    expect(client.socket.goodbyes.map(([code]) => code)).toEqual([1008])
  })
})
