/** The laws of the head of a chain: heights and times that go up together, and what one without a chain has to be. */
import { ChainHead, type Head } from "@sibyl/core"
import { Duration, Effect, type Layer } from "effect"
import { makeHandClock } from "../../clock/handClock.ts"
import { holdsThat, isEqual, type Law, type LawBroken } from "../form/law.ts"
import { plainLaws } from "../form/plainLaws.ts"
import { lawStartMs } from "../form/stores.ts"

type Body = Effect.Effect<void, LawBroken, ChainHead>

/** 2001: a time in seconds would be long before. */
const firstMs = 1_000_000_000_000

const isOfAForm: Body = Effect.gen(function* () {
  const { height, timestampMs } = yield* Effect.flatMap(ChainHead, ({ head }) => head)
  yield* holdsThat(typeof height === "bigint" && height >= 0n && height < 1n << 64n, `the height ${height} is a whole number of 64 bits`)
  yield* holdsThat(
    Number.isSafeInteger(timestampMs) && timestampMs > firstMs,
    `the time ${timestampMs} is in whole milliseconds since the Unix epoch`
  )
})

const fits = (before: Head, next: Head): boolean =>
  next.height > before.height ? next.timestampMs >= before.timestampMs : next.height === before.height

const goesUp: Body = Effect.gen(function* () {
  const { head, isClock = false } = yield* ChainHead
  let before = yield* head
  for (let asked = 0; asked < 50; asked += 1) {
    const next = yield* head
    yield* holdsThat(
      fits(before, next),
      `the head ${next.height} of ${next.timestampMs} comes after ${before.height} of ${before.timestampMs}`
    )
    yield* holdsThat(isClock || next.height > before.height || next.timestampMs === before.timestampMs, "a block has one time")
    before = next
    if (asked % 10 === 0) yield* Effect.sleep(Duration.millis(2))
  }
})

const isSharedByAll: Body = Effect.gen(function* () {
  const { head } = yield* ChainHead
  const heads = yield* Effect.all(
    Array.from({ length: 200 }, () => head),
    { concurrency: "unbounded" }
  )
  const times = new Map<bigint, number>()
  for (const { height, timestampMs } of heads) {
    const before = times.get(height) ?? timestampMs
    times.set(height, before)
    yield* holdsThat((yield* ChainHead).isClock === true || before === timestampMs, `the block ${height} has one time`)
  }
})

/** What says that it is a clock is looked at by threads that ask nobody. */
const isTheClock: Body = Effect.gen(function* () {
  const { head, isClock } = yield* ChainHead
  if (isClock !== true) return
  const clock = makeHandClock(lawStartMs)
  const onClock = Effect.withClock(head, clock)
  const first = yield* onClock
  clock.advance(1_234)
  const second = yield* onClock
  yield* isEqual(
    [first.timestampMs, second.timestampMs],
    [lawStartMs, lawStartMs + 1_234],
    "the times of a head that says it is the wall clock"
  )
  yield* isEqual(second.height, first.height, "its height, which never changes")
})

const bodies: Readonly<Record<string, Body>> = {
  "a head is a height of 64 bits and a time in milliseconds": isOfAForm,
  "a later head is not lower, and not earlier": goesUp,
  "all who ask at once see one chain": isSharedByAll,
  "a head that says it is the wall clock is": isTheClock
}

/** The laws over the head of a chain from `makeChainHead`. */
export const chainHeadLaws = (makeChainHead: () => Layer.Layer<ChainHead>): ReadonlyArray<Law> => plainLaws(bodies, makeChainHead)
