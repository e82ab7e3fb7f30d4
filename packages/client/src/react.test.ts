/** What a component is shown of its feed, render by render. */
import { afterEach, beforeEach, expect, test } from "vitest"
import { type Client, createClientOn } from "./createClient.ts"
import type { FeedRequest } from "./feeds/connectionFeed.ts"
import type { FollowRequest } from "./feeds/followedFeed.ts"
import { type FeedState, useFeed } from "./react.ts"
import { type ComponentRoot, componentRoot } from "./testdata/componentRoot.ts"
import { ModelNetwork } from "./testdata/modelNetwork.ts"
import { durableFeedId, ModelService } from "./testdata/modelService.ts"
import { VirtualTime } from "./testdata/virtualTime.ts"

interface Shown {
  readonly request: FeedRequest | FollowRequest
}

let time: VirtualTime
let service: ModelService
let network: ModelNetwork
let client: Client
let root: ComponentRoot<Shown>
/** Each render: what it asked for, and what it was given. */
let renders: Array<Shown & { readonly state: FeedState<unknown> }>

const Price = ({ request }: Shown): null => {
  renders.push({ request, state: useFeed(client, request) })
  return null
}

const feedOf = (name: string): FeedRequest => ({ execute: { execProgramId: name }, mode: "FIXED", periodicityMs: 1_000 })

const newest = (): FeedState<unknown> | undefined => renders.at(-1)?.state

beforeEach(async () => {
  time = new VirtualTime()
  service = new ModelService(time)
  network = new ModelNetwork(time, service.accept)
  client = createClientOn(
    network.platform(() => 0.5),
    { url: "http://one", auth: "sibyl_model_key" }
  )
  renders = []
  root = await componentRoot(Price)
})

afterEach(() => root.unmount())

test("a request that changes is never shown with the result of the one before, nor is the same one again", async () => {
  const [one, other] = [feedOf("one"), feedOf("other")]
  await root.render({ request: one })
  await root.during(() => time.pass(1_500))
  expect(newest()).toMatchObject({ result: { feedId: "feed-1" }, ended: false })
  for (const [request, feedId] of [
    [other, "feed-2"],
    [one, "feed-3"]
  ] as const) {
    const before = renders.length
    await root.render({ request })
    expect(renders.slice(before).map(({ state }) => state.result)).not.toContainEqual(expect.anything())
    await root.during(() => time.pass(1_500))
    expect(newest()?.result?.feedId).toBe(feedId)
  }
})

test("a request that says the same is the same feed", async () => {
  await root.render({ request: feedOf("one") })
  await root.during(() => time.pass(1_500))
  await root.render({ request: feedOf("one") })
  expect(newest()?.result?.feedId).toBe("feed-1")
})

test("a durable feed that was removed has ended, without an error", async () => {
  await root.render({ request: { feedId: durableFeedId } })
  await root.during(() => time.pass(1_500))
  expect(newest()).toMatchObject({ result: { seq: 0 }, ended: false })
  await root.during(async () => {
    service.remove()
    await time.pass(10)
  })
  expect(newest()).toMatchObject({ result: { seq: 0 }, ended: true, error: undefined })
})

test("a request that cannot be sent has ended with an error that names what is wrong", async () => {
  const execute = { execProgramId: "one", execInputs: { price: 1n } }
  await root.render({ request: { ...feedOf("one"), execute } })
  expect(newest()).toMatchObject({ ended: true, error: { _tag: "InvalidOption", option: "feed.execute.execInputs" } })
  await root.render({ request: feedOf("one") })
  await root.during(() => time.pass(1_500))
  expect(newest()).toMatchObject({ result: { kind: "result" }, ended: false, error: undefined })
})

test("a component that is gone has no feed", async () => {
  await root.render({ request: feedOf("one") })
  await root.during(() => time.pass(1_500))
  expect(network.connections).toBe(1)
  await root.unmount()
  await time.pass(10)
  expect(network.connections).toBe(0)
  root = await componentRoot(Price)
})
