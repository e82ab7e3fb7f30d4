/** Whatever a network does to a feed: what the loop saw and the gaps that it was told are together what the service sent. */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { createClientOn } from "./createClient.ts"
import type { FeedRequest } from "./feeds/connectionFeed.ts"
import type { FeedItem, GapItem, ResultItem } from "./feeds/feedItem.ts"
import type { FeedOptions } from "./feeds/feedLoop.ts"
import type { FollowRequest } from "./feeds/followedFeed.ts"
import { type MessageFault, ModelNetwork } from "./testdata/modelNetwork.ts"
import { durableFeedId, ModelService, type SentRun } from "./testdata/modelService.ts"
import { VirtualTime } from "./testdata/virtualTime.ts"

type Item = FeedItem<unknown>

/** Something that happens to a feed, and how long it is left alone before that. */
type Trouble =
  | { readonly afterMs: number; readonly kind: "messages"; readonly faults: ReadonlyArray<MessageFault> }
  | { readonly afterMs: number; readonly kind: "cut" | "stall" | "epoch" | "sweep" }
  | { readonly afterMs: number; readonly kind: "refuse"; readonly count: number }

const afterMs = fc.integer({ min: 0, max: 6_000 })
const messageTrouble = fc.record({
  kind: fc.constant("messages" as const),
  faults: fc.array(fc.constantFrom<MessageFault>("none", "lost", "twice", "late"), { minLength: 1, maxLength: 6 }),
  afterMs
})
const connectionTrouble = fc.record({ kind: fc.constantFrom("cut" as const, "stall" as const), afterMs })
const refusal = fc.record({ kind: fc.constant("refuse" as const), count: fc.integer({ min: 1, max: 3 }), afterMs })
const feedTrouble = fc.record({ kind: fc.constantFrom("epoch" as const, "sweep" as const), afterMs })

interface World {
  readonly time: VirtualTime
  readonly service: ModelService
  readonly network: ModelNetwork
}

const happens = ({ network, service }: World, trouble: Trouble): void => {
  if (trouble.kind === "messages") network.fault(...trouble.faults)
  else if (trouble.kind === "cut") network.cut()
  else if (trouble.kind === "stall") network.stall()
  else if (trouble.kind === "epoch") service.beginEpoch()
  else if (trouble.kind === "sweep") service.sweep(2)
  if (trouble.kind === "refuse") {
    network.refuse(trouble.count)
    network.cut()
  }
}

/** Runs a loop through troubles, then in peace, where it must be up to date again; then the connection is cut once more, so that what is open is told. */
const runLoop = async (
  request: FeedRequest | FollowRequest,
  troubles: ReadonlyArray<Trouble>,
  { options = {}, urls = ["http://model"] }: { readonly options?: FeedOptions<unknown>; readonly urls?: ReadonlyArray<string> } = {}
): Promise<World & { readonly items: ReadonlyArray<Item>; readonly silentMs: number }> => {
  const time = new VirtualTime()
  const service = new ModelService(time)
  const network = new ModelNetwork(time, service.accept)
  const client = createClientOn(
    network.platform(() => 0.5),
    { urls, auth: "sibyl_model_key" }
  )
  const items: Array<Item> = []
  const loop = client.feed(request, options)[Symbol.asyncIterator]()
  const reading = (async () => {
    for (let next = await loop.next(); next.done !== true; next = await loop.next()) items.push(next.value)
  })()
  const world = { time, service, network }
  for (const trouble of troubles) {
    await time.pass(trouble.afterMs)
    happens(world, trouble)
  }
  network.heal()
  await time.pass(90_000)
  const silentMs = time.nowMs - (resultsOf(items).at(-1)?.scheduledAt ?? 0)
  network.cut()
  await time.pass(20_000)
  await loop.return?.()
  await reading
  await time.pass(10_000)
  return { ...world, items, silentMs }
}

const resultsOf = (items: ReadonlyArray<Item>) => items.filter((item): item is ResultItem<unknown> => item.kind === "result")
const gapsOf = (items: ReadonlyArray<Item>) => items.filter((item): item is GapItem => item.kind === "gap")
const nameOf = ({ epoch, feedId, seq }: SentRun) => `${feedId}/${epoch ?? ""}/${seq}`

/** Each result is that of its run, and none comes twice. */
const expectHonest = (items: ReadonlyArray<Item>, runs: ReadonlyArray<SentRun>): void => {
  const names = resultsOf(items).map(({ epoch, feedId, seq }) => nameOf({ feedId, epoch, seq }))
  expect(resultsOf(items).map(({ result }) => result)).toEqual(names)
  expect(new Set(names).size).toBe(names.length)
  const known = new Set(runs.map(nameOf))
  expect(names.filter((name) => !known.has(name))).toEqual([])
}

/** Four hundred cases take half a minute, beside other tests on a slow machine two. */
const patienceMs = 400_000

const feed: FeedRequest = { execute: { execProgramId: "model" }, mode: "FIXED", periodicityMs: 1_000 }

describe("a feed that lives with its connection", () => {
  const isCovered = (run: SentRun, seen: ReadonlySet<string>, gaps: ReadonlyArray<GapItem>): boolean =>
    gaps.some(({ feedId, from, to }) => {
      // The id of a feed that began may not have arrived: then nothing of it has.
      if (feedId === undefined) return ![...seen].some((name) => name.startsWith(`${run.feedId}/`))
      return feedId === run.feedId && (from === undefined || run.seq >= from.seq) && (to === undefined || run.seq < to.seq)
    })

  test.each(["FIXED", "PARALLEL"] as const)(
    "tells of every run that was sent and not seen: %s",
    async (mode) => {
      let cases = 0
      await fc.assert(
        fc.asyncProperty(fc.array(fc.oneof(messageTrouble, connectionTrouble, refusal), { maxLength: 8 }), async (troubles) => {
          const { items, network, service, silentMs } = await runLoop({ ...feed, mode }, troubles)
          expectHonest(items, service.sent)
          expect(silentMs).toBeLessThan(3_000)
          const gaps = gapsOf(items)
          const seen = new Set(resultsOf(items).map(({ feedId, seq }) => nameOf({ feedId, epoch: undefined, seq })))
          // What was sent after the loop was left is nobody's.
          const sent = service.sent.filter((run) => !seen.has(nameOf(run)))
          const uncovered = sent.filter((run) => !isCovered(run, seen, gaps) && run.feedId !== service.sent.at(-1)?.feedId)
          expect(uncovered).toEqual([])
          expect(network.connections).toBe(0)
          if (troubles.length === 0) expect(gaps).toHaveLength(1)
          cases += 1
        }),
        { numRuns: 400 }
      )
      expect(cases).toBeGreaterThanOrEqual(400)
    },
    patienceMs
  )
})

describe("a durable feed", () => {
  const compare = (one: { epoch?: number | undefined; seq: number }, other: { epoch?: number | undefined; seq: number }) =>
    (one.epoch ?? 0) - (other.epoch ?? 0) || one.seq - other.seq

  test.each([
    ["one address at a time", false],
    ["both addresses at once", true]
  ] as const)(
    "is resumed from its place, with %s",
    async (_what, parallel) => {
      const request = { feedId: durableFeedId, parallel, after: { epoch: 1, seq: -1 } }
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.oneof(messageTrouble, connectionTrouble, refusal, feedTrouble), { maxLength: 8 }),
          async (troubles) => {
            const { items, network, service, silentMs } = await runLoop(request, troubles, { urls: ["http://one", "http://two"] })
            expectHonest(items, service.logged)
            expect(silentMs).toBeLessThan(3_000)
            const results = resultsOf(items)
            expect(results.map(({ epoch, seq }) => ({ epoch, seq }))).toEqual(
              results.map(({ epoch, seq }) => ({ epoch, seq })).sort(compare)
            )
            const seen = new Set(results.map(({ epoch, feedId, seq }) => nameOf({ feedId, epoch, seq })))
            const last = results.at(-1)
            const gaps = gapsOf(items)
            const inGap = (run: SentRun) =>
              gaps.some(({ from, to }) => from !== undefined && to !== undefined && compare(run, from) >= 0 && compare(run, to) < 0)
            const upToLast = service.logged.filter((run) => last !== undefined && compare(run, last) <= 0)
            // Seen or told, never both, never neither.
            expect(upToLast.filter((run) => seen.has(nameOf(run)) === inGap(run))).toEqual([])
            expect(upToLast.length).toBeGreaterThan(80)
            // Only the service's own reasons: a connection costs nothing.
            expect(gaps.filter(({ why }) => why !== "notKept" && why !== "newEpoch")).toEqual([])
            expect(network.connections).toBe(0)
          }
        ),
        { numRuns: 400 }
      )
    },
    patienceMs
  )
})
