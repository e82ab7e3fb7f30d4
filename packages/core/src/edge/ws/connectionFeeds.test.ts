/** The feeds of a connection: the error for one that it does not have, and what those hear that find no place for a run. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { eventually, rpcClient } from "../../testdata/rpcClient.ts"
import { openTestService } from "../../testdata/testService.ts"

it("an unknown feed's id is echoed, but no text that is not an id", async () => {
  const { key, service } = await openTestService()
  const client = await rpcClient(service, key)
  const feedId = "00000000-0000-4000-8000-000000000000"
  const error = { code: 32001, _tag: "FeedNotFound" }
  expect(await client.ask("feed.stop", { feedId })).toMatchObject({ error: { ...error, details: { feedId } } })
  const misplaced = await client.ask("feed.stop", { feedId: key })
  expect(misplaced).toMatchObject({ error })
  expect(JSON.stringify(misplaced)).not.toContain(key)
  await service.dispose()
})

it("a start beyond the bound of runs is a refused run of its feed: nothing is left out, and no feed is silent", async () => {
  const options = { limits: { runsPerProject: 3 } }
  const { execProgramId, key, requests, service } = await openTestService({ options, script: () => Effect.never })
  const client = await rpcClient(service, key)
  const start = async (mode: string): Promise<unknown> => {
    const { result } = await client.ask("feed.start", { mode, periodicityMs: 10, execute: { execProgramId } })
    return result?.["feedId"]
  }
  const resultsOf = (feedId: unknown) =>
    client
      .said()
      .filter(({ method, params }) => method === "feed.result" && params?.feedId === feedId)
      .map(({ params }) => [params?.seq, params?.error?._tag])
  const parallel = await start("PARALLEL")
  const refused = (seq: number) => [seq, "Overloaded"]
  await eventually(() => (resultsOf(parallel).length >= 5 ? true : undefined), "refused starts of PARALLEL")
  expect(resultsOf(parallel).slice(0, 5)).toEqual([3, 4, 5, 6, 7].map(refused))
  for (const mode of ["FIXED", "SEQUENTIAL"]) {
    const feedId = await start(mode)
    await eventually(() => (resultsOf(feedId).length >= 3 ? true : undefined), `refused starts of ${mode}`)
    expect(resultsOf(feedId).slice(0, 3)).toEqual([0, 1, 2].map(refused))
  }
  expect(requests.length).toBe(3)
})

it("a shared feed asked for again is the same one, also on a connection that has all the feeds that it may", async () => {
  const { execProgramId, key, service } = await openTestService({ options: { limits: { feedsPerConnection: 2 } } })
  const client = await rpcClient(service, key)
  const start = (share: boolean) => client.ask("feed.start", { mode: "FIXED", periodicityMs: 10_000, share, execute: { execProgramId } })
  const first = await start(true)
  await start(false)
  expect(await start(false)).toMatchObject({ error: { _tag: "FeedLimit" } })
  const again = await start(true)
  expect(again.result).toEqual(first.result)
  // It took no place, nor gave one back: a stop makes room for one feed.
  await client.ask("feed.stop", { ...first.result })
  expect(await start(true)).toMatchObject({ result: first.result })
  expect(await start(false)).toMatchObject({ error: { _tag: "FeedLimit" } })
  await service.dispose()
})
