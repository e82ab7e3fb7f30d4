/** A clock with fractions of milliseconds, as `performance.now()` has, makes whole timestamps; what else a clock has is kept. */
import { Clock, Duration, Effect, Layer, TestClock, TestContext } from "effect"
import { expect, it } from "vitest"
import { openTestService, seamRequest } from "../../testdata/testService.ts"
import { inWholeMilliseconds, layerWholeMilliseconds } from "./wholeMilliseconds.ts"

/** Has private members, so that its methods can be called on itself alone. */
class FractionalClock implements Clock.Clock {
  readonly [Clock.ClockTypeId]: Clock.ClockTypeId = Clock.ClockTypeId
  readonly #real = Clock.make()
  readonly currentTimeMillis = Effect.sync(() => this.unsafeCurrentTimeMillis())
  readonly currentTimeNanos = this.#real.currentTimeNanos
  unsafeCurrentTimeMillis(): number {
    return this.#real.unsafeCurrentTimeMillis() + 0.75
  }
  unsafeCurrentTimeNanos(): bigint {
    return this.#real.unsafeCurrentTimeNanos()
  }
  sleep(duration: Parameters<Clock.Clock["sleep"]>[0]): Effect.Effect<void> {
    return this.#real.sleep(duration)
  }
}

it("has the whole milliseconds of a clock with fractions, and its other members", async () => {
  const clock = inWholeMilliseconds(new FractionalClock())
  expect(clock.unsafeCurrentTimeMillis() % 1).toBe(0)
  expect((await Effect.runPromise(clock.currentTimeMillis)) % 1).toBe(0)
  expect(clock.unsafeCurrentTimeNanos()).toBeGreaterThan(0n)
  await Effect.runPromise(clock.sleep(Duration.millis(1)))
})

it("a test clock is set as before", async () => {
  const adjusted = Effect.gen(function* () {
    yield* TestClock.adjust(1_500)
    return yield* Clock.currentTimeMillis
  })
  const layer = Layer.provideMerge(layerWholeMilliseconds(), TestContext.TestContext)
  expect(await Effect.runPromise(Effect.provide(adjusted, layer))).toBe(1_500)
})

it("a service over ports that set such a clock runs, signs and remembers", async () => {
  const { execProgramId, key, openAnother } = await openTestService()
  const service = await openAnother((stores) => Layer.merge(Layer.succeedContext(stores), Layer.setClock(new FractionalClock())))
  const headers = { authorization: `Bearer ${key}`, "idempotency-key": "once" }
  const body = JSON.stringify({ execProgramId })
  const first = await service.fetch(seamRequest("POST", "/execute", { headers, body }))
  const { data } = JSON.parse(String(first?.body)) as { readonly data: { readonly dataResult: Readonly<Record<string, unknown>> } }
  expect([first?.status, data.dataResult["blockTimestamp"]]).toEqual([200, expect.stringMatching(/^\d{13}$/)])
  const again = await service.fetch(seamRequest("POST", "/execute", { headers, body }))
  expect([again?.status, again?.headers["idempotency-replayed"], again?.body]).toEqual([200, "true", first?.body])
  await service.dispose()
})
