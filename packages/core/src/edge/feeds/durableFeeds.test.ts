/** Durable feeds over REST and WebSocket: they run without a connection, survive their server, and are followed without gap or repeat. */
import { Context, Effect, Layer, Redacted } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import type { Service } from "../transport/seam.ts"
import { DurableFeeds } from "../../ports/feeds/durableFeeds.ts"
import { ResultStore } from "../../ports/resultStore.ts"
import { StoreUnavailable } from "../../ports/storeUnavailable.ts"
import { eventually, type RpcClient, rpcClient } from "../../testdata/rpcClient.ts"
import { openTestService, type OpenTestService, seamRequest, type TestServiceSetup } from "../../testdata/testService.ts"

interface Result {
  readonly epoch: number
  readonly seq: number
  readonly tick: number
  readonly result?: { readonly data: { readonly id: string } }
  readonly error?: { readonly _tag: string; readonly code: number }
}

interface State {
  readonly feedId: string
  readonly hasOwner: boolean
  readonly epoch: number | null
  readonly lastSeq: number | null
  readonly lastResultAt: string | null
  readonly lastFailure: { readonly _tag: string; readonly seq: number } | null
  readonly nextTickAt: string | null
}

let services: Array<Service> = []
afterEach(async () => {
  await Promise.all(services.map((service) => service.dispose()))
  services = []
})

const open = async (setup: TestServiceSetup = {}): Promise<OpenTestService> => {
  const opened = await openTestService(setup)
  services.push(opened.service)
  return opened
}

const ask = async (service: Service, key: string, method: string, path: string, body?: object) => {
  const fields = { headers: { authorization: `Bearer ${key}` }, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
  const response = await service.fetch(seamRequest(method, path, fields))
  return { status: response?.status, json: JSON.parse(String(response?.body)) as Record<string, unknown> }
}

const bodyFor = ({ execProgramId, tallyProgramId }: OpenTestService, more: object = {}) => ({
  execute: { execProgramId, tallyProgramId },
  mode: "FIXED",
  periodicityMs: 20,
  ...more
})

const create = async (opened: OpenTestService, more: object = {}): Promise<string> => {
  const { json, status } = await ask(opened.service, opened.key, "POST", "/feeds", bodyFor(opened, more))
  expect(status).toBe(201)
  return String(json["feedId"])
}

const stateOf = async (service: Service, key: string, feedId: string): Promise<State> =>
  (await ask(service, key, "GET", `/feeds/${feedId}`)).json as unknown as State

const resultsOf = (client: RpcClient): ReadonlyArray<Result> =>
  client.said().flatMap(({ method, params }) => (method === "feed.result" && params !== undefined ? [params as unknown as Result] : []))

const reaches = (service: Service, key: string, feedId: string, seq: number) =>
  eventually(async () => {
    const state = await stateOf(service, key, feedId)
    return state.lastSeq !== null && state.lastSeq >= seq ? state : undefined
  }, `run ${seq}`)

/** Every result is the next one. */
const expectGapless = (results: ReadonlyArray<Result>): void => {
  const places = results.map(({ epoch, seq }) => ({ epoch, seq }))
  const [first] = places
  expect(places).toEqual(places.map((_, at) => ({ epoch: first?.epoch, seq: (first?.seq ?? 0) + at })))
}

describe("a durable feed", () => {
  it.each(["FIXED", "SEQUENTIAL", "PARALLEL"])("runs %s without a connection until it is removed, each run charged once", async (mode) => {
    const opened = await open()
    const { key, service } = opened
    const feedId = await create(opened, { mode })
    const state = await reaches(service, key, feedId, 5)
    expect(state).toMatchObject({ feedId, hasOwner: true, mode, periodicityMs: 20, lastFailure: null })
    expect(await ask(service, key, "GET", "/feeds")).toMatchObject({ status: 200, json: { data: [{ feedId, mode }] } })
    expect(await ask(service, key, "DELETE", `/feeds/${feedId}`)).toMatchObject({ status: 200, json: { feedId } })
    expect(await ask(service, key, "GET", `/feeds/${feedId}`)).toMatchObject({ status: 404, json: { _tag: "FeedNotFound" } })
    expect(await ask(service, key, "DELETE", `/feeds/${feedId}`)).toMatchObject({ status: 404 })
    await service.dispose()
    const settled = opened.ledgerCalls.filter((call) => call === "settle").length
    const exec = opened.requests.filter(({ phase }) => phase === "exec").length
    expect(settled).toBeGreaterThan(5)
    expect(settled).toBe(exec)
  })

  it("is followed from any place, in order, without gap or repeat", async () => {
    const opened = await open()
    const { key, service } = opened
    const feedId = await create(opened)
    const { epoch } = await reaches(service, key, feedId, 50)
    const client = await rpcClient(service, key)
    expect(await client.ask("feed.follow", { feedId, after: { epoch, seq: 6 } })).toMatchObject({ result: { feedId } })
    await eventually(() => (resultsOf(client).length > 60 ? true : undefined), "results from log and from now on")
    expect(resultsOf(client)[0]?.seq).toBe(7)
    expectGapless(resultsOf(client))
    expect(await client.ask("feed.follow", { feedId })).toMatchObject({ error: { _tag: "InvalidParameter" } })
    await client.ask("feed.stop", { feedId })
    const last = resultsOf(client).at(-1)
    const again = await rpcClient(service, key)
    await again.ask("feed.follow", { feedId, after: { epoch, seq: last?.seq } })
    await eventually(() => (resultsOf(again).length > 5 ? true : undefined), "what was missed")
    expectGapless([...resultsOf(client), ...resultsOf(again)])
    const ids = [...resultsOf(client), ...resultsOf(again)].map(({ result }) => result?.data.id)
    expect(new Set(ids).size).toBe(ids.length)
    const fresh = await rpcClient(service, key)
    const { lastSeq } = await stateOf(service, key, feedId)
    await fresh.ask("feed.follow", { feedId })
    const [first] = await eventually(() => (resultsOf(fresh).length > 0 ? resultsOf(fresh) : undefined), "a result to come")
    expect(first?.seq).toBeGreaterThanOrEqual(lastSeq ?? 0)
    await ask(service, key, "DELETE", `/feeds/${feedId}`)
    await eventually(() => fresh.said().find(({ method }) => method === "feed.ended"), "the end of a removed feed")
  })

  it("that was removed takes no place of its followers' connections any more", async () => {
    const opened = await open({ options: { limits: { feedsPerConnection: 1 } } })
    const { key, service } = opened
    const client = await rpcClient(service, key)
    for (let round = 1; round <= 3; round += 1) {
      const feedId = await create(opened)
      expect(await client.ask("feed.follow", { feedId })).toMatchObject({ result: { feedId } })
      await ask(service, key, "DELETE", `/feeds/${feedId}`)
      const ended = () => client.said().filter(({ method }) => method === "feed.ended")
      await eventually(() => (ended().length === round ? true : undefined), "the end of a removed feed")
      expect(await client.ask("feed.stop", { feedId })).toMatchObject({ error: { _tag: "FeedNotFound" } })
    }
  })

  it("tells what is no longer kept", async () => {
    const opened = await open()
    const { key, service } = opened
    let store: DurableFeeds["Type"] | undefined
    services.push(
      await opened.openAnother((stores) => {
        store = Effect.runSync(Effect.provide(DurableFeeds, stores))
        return Layer.succeedContext(stores)
      })
    )
    const feedId = await create(opened)
    const { epoch } = await reaches(service, key, feedId, 9)
    const kept = await Effect.runPromise(store?.entries(feedId, undefined, 6) ?? Effect.succeed([]))
    await Effect.runPromise(store?.sweep(kept[5]?.startedAtMs ?? 0, 3) ?? Effect.succeed(0))
    const client = await rpcClient(service, key)
    await client.ask("feed.follow", { feedId, after: { epoch, seq: 0 } })
    const gap = await eventually(() => client.said().find(({ method }) => method === "feed.gap"), "the gap")
    expect(gap.params).toEqual({ feedId, from: { epoch, seq: 1 }, to: { epoch, seq: 3 }, why: "notKept" })
    const [first] = await eventually(() => (resultsOf(client).length > 0 ? resultsOf(client) : undefined), "the rest")
    expect(first?.seq).toBe(3)
    const earlier = await rpcClient(service, key)
    await earlier.ask("feed.follow", { feedId, after: { epoch: 5, seq: 7 } })
    const begun = await eventually(() => earlier.said().find(({ method }) => method === "feed.gap"), "the new epoch")
    expect(begun.params).toMatchObject({ from: { epoch: 5, seq: 8 }, why: "newEpoch" })
    const ahead = await rpcClient(service, key)
    expect(await ahead.ask("feed.follow", { feedId, after: { epoch, seq: 1_000_000 } })).toMatchObject({
      error: { _tag: "InvalidParameter" }
    })
    for (const after of [7, { epoch: "1", seq: 0 }, { epoch, seq: -2 }, { epoch }]) {
      expect(await ahead.ask("feed.follow", { feedId, after })).toMatchObject({ error: { details: { parameter: "after" } } })
    }
  })

  it("is followed from a place of an ended epoch that its log does not know, as where the database was restored", async () => {
    const opened = await open()
    const feedId = await create(opened)
    const { epoch } = await reaches(opened.service, opened.key, feedId, 2)
    if (epoch === null) throw new Error("no epoch has begun")
    const begunAnew = await opened.openAnother((stores) => {
      const feeds = Context.get(stores, DurableFeeds)
      const progress: DurableFeeds["Type"]["progress"] = (id) => Effect.map(feeds.progress(id), (known) => ({ ...known, epoch: epoch + 1 }))
      return Layer.succeedContext(Context.add(stores, DurableFeeds, { ...feeds, progress }))
    })
    services.push(begunAnew)
    const client = await rpcClient(begunAnew, opened.key)
    expect(await client.ask("feed.follow", { feedId, after: { epoch, seq: 1_000_000 } })).toMatchObject({ result: { feedId } })
    const after = { epoch: epoch + 2, seq: 0 }
    expect(await client.ask("feed.follow", { feedId, after })).toMatchObject({ error: { details: { parameter: "after" } } })
  })

  it("is followed from a place of an earlier epoch before its first one has begun, as after that", async () => {
    const opened = await open()
    const feedId = await create(opened)
    const notBegun = await opened.openAnother((stores) => {
      const feeds = Context.get(stores, DurableFeeds)
      const progress: DurableFeeds["Type"]["progress"] = (id) =>
        Effect.map(feeds.progress(id), (known) => ({ ...known, last: undefined, epoch: undefined }))
      return Layer.succeedContext(Context.add(stores, DurableFeeds, { ...feeds, progress }))
    })
    services.push(notBegun)
    const client = await rpcClient(notBegun, opened.key)
    expect(await client.ask("feed.follow", { feedId, after: { epoch: 5, seq: 7 } })).toMatchObject({ result: { feedId } })
    const gap = await eventually(() => client.said().find(({ method }) => method === "feed.gap"), "the first epoch")
    expect(gap.params).toMatchObject({ from: { epoch: 5, seq: 8 }, why: "newEpoch" })
    const after = { epoch: Number.MAX_SAFE_INTEGER, seq: 0 }
    expect(await client.ask("feed.follow", { feedId, after })).toMatchObject({ error: { details: { parameter: "after" } } })
  })

  it("goes on without credits, shows why, and has results again when there are credits", async () => {
    const opened = await open({ credits: 0n })
    const { key, project, provisioning, service } = opened
    const feedId = await create(opened)
    const client = await rpcClient(service, key)
    await client.ask("feed.follow", { feedId })
    const failed = await eventually(() => resultsOf(client)[0], "a refused run")
    expect(failed.error).toMatchObject({ _tag: "InsufficientCredits", code: 36003 })
    expect(await stateOf(service, key, feedId)).toMatchObject({ lastResultAt: null, lastFailure: { _tag: "InsufficientCredits" } })
    await Effect.runPromise(provisioning.grant(project.projectId, 1_000_000n))
    await eventually(() => resultsOf(client).find(({ result }) => result !== undefined), "a result")
    expectGapless(resultsOf(client))
  })

  it("is taken over when its server ends, with neither a repeat nor a gap, and shown to followers of another server", async () => {
    const opened = await open()
    const { key } = opened
    const feedId = await create(opened)
    await reaches(opened.service, key, feedId, 3)
    const other = await opened.openAnother()
    services.push(other)
    const client = await rpcClient(other, key)
    const { epoch } = await stateOf(other, key, feedId)
    await client.ask("feed.follow", { feedId, after: { epoch, seq: 0 } })
    await eventually(() => (resultsOf(client).length > 5 ? true : undefined), "results of the other server")
    await opened.service.dispose()
    const handedOver = resultsOf(client).length
    await eventually(() => (resultsOf(client).length > handedOver + 10 ? true : undefined), "results after the takeover")
    expectGapless(resultsOf(client))
    const ids = resultsOf(client).map(({ result }) => result?.data.id)
    expect(ids).not.toContain(undefined)
    expect(new Set(ids).size).toBe(ids.length)
    const ticks = resultsOf(client).map(({ tick }) => tick)
    expect(ticks).toEqual([...new Set(ticks)].toSorted((left, right) => left - right))
  })

  it("is followed on after the store was away for a moment when a run ended", async () => {
    const opened = await open()
    await opened.service.dispose()
    const away = new Set(["succeed", "fail"])
    const service = await opened.openAnother((stores) => {
      const feeds = Context.get(stores, DurableFeeds)
      const once = <A>(name: string, call: Effect.Effect<A>): Effect.Effect<A> =>
        Effect.suspend(() => (away.delete(name) ? Effect.die(new StoreUnavailable("away")) : call))
      const flaky: typeof feeds = {
        ...feeds,
        succeed: (...args) => once("succeed", feeds.succeed(...args)),
        fail: (...args) => once("fail", feeds.fail(...args))
      }
      return Layer.succeedContext(Context.add(stores, DurableFeeds, flaky))
    })
    services.push(service)
    const feedId = await create({ ...opened, service })
    const client = await rpcClient(service, opened.key)
    const { epoch } = await reaches(service, opened.key, feedId, 1)
    await client.ask("feed.follow", { feedId, after: { epoch, seq: -1 } })
    await eventually(
      () => (resultsOf(client).length > 3 ? true : undefined),
      "the result of the run whose end was not logged, and those after it"
    )
    expect(resultsOf(client)[0]?.seq).toBe(0)
    expectGapless(resultsOf(client))
    expect(away.has("succeed")).toBe(false)
  })

  it("is followed on, and its end told, after the store was away when a follower read it", async () => {
    const opened = await open()
    await opened.service.dispose()
    let [isAway, refused] = [false, 0]
    const service = await opened.openAnother((stores) => {
      const results = Context.get(stores, ResultStore)
      // The log tells of something new, and what is to be sent of it cannot be read.
      const find: typeof results.find = (...args) =>
        Effect.suspend(() => {
          if (!isAway) return results.find(...args)
          refused += 1
          return Effect.die(new StoreUnavailable("away"))
        })
      return Layer.succeedContext(Context.add(stores, ResultStore, { ...results, find }))
    })
    services.push(service)
    const feedId = await create({ ...opened, service })
    const client = await rpcClient(service, opened.key)
    const { epoch } = await reaches(service, opened.key, feedId, 1)
    await client.ask("feed.follow", { feedId, after: { epoch, seq: -1 } })
    await eventually(() => (resultsOf(client).length > 1 ? true : undefined), "results")
    isAway = true
    await eventually(() => (refused > 1 ? true : undefined), "reads of a store that is away")
    isAway = false
    const before = resultsOf(client).length
    await eventually(() => (resultsOf(client).length > before + 3 ? true : undefined), "results after the outage")
    expectGapless(resultsOf(client))
    await ask(service, opened.key, "DELETE", `/feeds/${feedId}`)
    await eventually(() => client.said().find(({ method }) => method === "feed.ended"), "the end")
  })
})

describe("a request for a durable feed", () => {
  it("is refused by the rule that it breaks", async () => {
    const opened = await open()
    const { execProgramId, key, service } = opened
    const refusal = async (more: object) => (await ask(service, key, "POST", "/feeds", bodyFor(opened, more))).json
    expect(await refusal({ mode: "OFTEN" })).toMatchObject({ _tag: "InvalidParameter", details: { parameter: "mode" } })
    expect(await refusal({ periodicityMs: 1 })).toMatchObject({ details: { parameter: "periodicityMs" } })
    expect(await refusal({ share: true })).toMatchObject({ details: { parameter: "share" } })
    expect(await refusal({ execute: {} })).toMatchObject({ details: { parameter: "execute.execProgramId" } })
    expect(await refusal({ execute: { execProgramId, dryRun: true } })).toMatchObject({ details: { parameter: "execute.dryRun" } })
    expect(await refusal({ execute: { execProgramId, returnLastResult: true } })).toMatchObject({
      details: { parameter: "execute.returnLastResult" }
    })
    expect(await refusal({ execute: { execProgramId: "ab".repeat(32) } })).toMatchObject({ _tag: "ProgramNotFound" })
    expect(await ask(service, key, "GET", "/feeds")).toMatchObject({ json: { data: [] } })
  })

  it("is refused beyond the project's maximum, and shows a project its own feeds only", async () => {
    const opened = await open({ project: { limits: { durableFeedsPerProject: 1 } } })
    const { key, keys, provisioning, service } = opened
    const feedId = await create(opened, { periodicityMs: 60_000 })
    expect(await ask(service, key, "POST", "/feeds", bodyFor(opened))).toMatchObject({
      status: 429,
      json: { _tag: "FeedLimit", details: { maxFeeds: 1 } }
    })
    const other = await Effect.runPromise(
      Effect.flatMap(provisioning.createProject({ organizationSlug: "other" }), ({ projectId }) => keys.issue(projectId))
    )
    const theirs = Redacted.value(other.key)
    expect(await ask(service, theirs, "GET", "/feeds")).toMatchObject({ json: { data: [] } })
    for (const method of ["GET", "DELETE"]) {
      expect(await ask(service, theirs, method, `/feeds/${feedId}`)).toMatchObject({ status: 404, json: { _tag: "FeedNotFound" } })
    }
    const misplaced = await ask(service, key, "GET", `/feeds/${key}`)
    expect(misplaced).toMatchObject({ status: 404 })
    expect(JSON.stringify(misplaced.json)).not.toContain(key)
    expect((await rpcClient(service, theirs).then((client) => client.ask("feed.follow", { feedId }))).error).toMatchObject({
      _tag: "FeedNotFound"
    })
    expect(await stateOf(service, key, feedId)).toMatchObject({ feedId })
  })
})
