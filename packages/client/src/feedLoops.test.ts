/** What code does to its loop over a feed: schemas that throw, several items asked for at once, inputs that cannot be sent. */
import { beforeEach, describe, expect, test } from "vitest"
import { createClientOn } from "./createClient.ts"
import type { FeedRequest } from "./feeds/connectionFeed.ts"
import type { FeedItem } from "./feeds/feedItem.ts"
import type { ResultSchema, SchemaOutcome } from "./ground/resultSchema.ts"
import { ModelNetwork } from "./testdata/modelNetwork.ts"
import { ModelService } from "./testdata/modelService.ts"
import { VirtualTime } from "./testdata/virtualTime.ts"

let time: VirtualTime
let network: ModelNetwork

const feed: FeedRequest = { execute: { execProgramId: "model" }, mode: "FIXED", periodicityMs: 1_000 }

beforeEach(() => {
  time = new VirtualTime()
  network = new ModelNetwork(time, new ModelService(time).accept)
})

const clientOf = () =>
  createClientOn(
    network.platform(() => 0.5),
    { url: "http://one", auth: "sibyl_model_key" }
  )

const schemaOf = (validate: () => SchemaOutcome<number>): ResultSchema<number> => ({
  "~standard": { version: 1, vendor: "test", validate }
})

type Loop<R> = AsyncIterator<FeedItem<R>>

/** The next item, while time passes. */
const next = async <R>(loop: Loop<R>) => {
  const item = loop.next()
  // It may reject before it is looked at.
  item.catch(() => undefined)
  await time.pass(5_000)
  return item
}

describe("a schema that throws", () => {
  test("makes a failed run of the result, and the feed goes on", async () => {
    const thrown = new RangeError("no price")
    const schema = schemaOf(() => {
      throw thrown
    })
    const loop = clientOf().feed(feed, { schema })[Symbol.asyncIterator]()
    for (const seq of [0, 1]) {
      const { value } = await next(loop)
      expect(value).toMatchObject({ kind: "failed", seq, error: { _tag: "InvalidResult", cause: thrown } })
      expect(value?.kind === "failed" && value.error.message).toMatch(/the schema threw RangeError: no price$/)
    }
    await loop.return?.()
  })

  test("a schema that is against its own specification ends the feed before the loop throws", async () => {
    const schema = schemaOf(() => ({ issues: 3 }) as unknown as SchemaOutcome<number>)
    const loop = clientOf().feed(feed, { schema })[Symbol.asyncIterator]()
    await expect(next(loop)).rejects.toThrow(TypeError)
    expect(network.connections).toBe(0)
    expect(await loop.next()).toEqual({ done: true, value: undefined })
  })
})

describe("items that are asked for at once", () => {
  test("are given in the order of asking", async () => {
    const loop = clientOf().feed(feed)[Symbol.asyncIterator]()
    const all = Promise.all([loop.next(), loop.next(), loop.next()])
    await time.pass(10_000)
    expect((await all).map(({ value }) => value)).toMatchObject([{ seq: 0 }, { seq: 1 }, { seq: 2 }])
    await loop.return?.()
  })

  test("all end when the loop is left", async () => {
    const loop = clientOf().feed(feed)[Symbol.asyncIterator]()
    const all = Promise.all([loop.next(), loop.next(), loop.next()])
    await loop.return?.()
    expect((await all).map(({ done }) => done)).toEqual([true, true, true])
  })
})

test("a feed asks for what it was made with, whatever becomes of that: no other feed of the connection suffers", async () => {
  const client = clientOf()
  const other = client.feed(feed)[Symbol.asyncIterator]()
  expect((await next(other)).value).toMatchObject({ seq: 0 })
  const execInputs: Record<string, unknown> = { price: 1 }
  const loop = client.feed({ ...feed, execute: { execProgramId: "model", execInputs } })[Symbol.asyncIterator]()
  execInputs["price"] = 1n
  expect((await next(loop)).value).toMatchObject({ kind: "result", seq: 0 })
  expect((await next(other)).value).toMatchObject({ kind: "result", seq: 1 })
  await Promise.all([loop.return?.(), other.return?.()])
})
