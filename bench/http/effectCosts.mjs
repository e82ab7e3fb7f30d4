/** What single operations of Effect cost, in nanoseconds: the least of ten rounds, because whatever else the machine does only adds to them. */
import { Context, Effect, Exit, Fiber, FiberRef, FiberSet, Layer, ManagedRuntime, RuntimeFlags, Schedule, Scope } from "effect"
import { makeDetachedRuns } from "../../packages/core/dist/services/fibers/detachedRuns.js"
import { traced } from "../../packages/core/dist/services/fibers/traced.js"

const times = 1_000
const rounds = 10

class Service extends Context.Tag("bench/Service")() {}
const local = FiberRef.unsafeMake("")
const plain = Effect.succeed(1)

const runtimeWith = (...layers) => ManagedRuntime.make(Layer.mergeAll(Layer.succeed(Service, {}), ...layers))
const counted = runtimeWith()
const runtime = runtimeWith(RuntimeFlags.disableRuntimeMetrics)

const least = async (effect, within) => {
  const loop = Effect.forEach(Array.from({ length: times }), () => effect, { discard: true })
  let leastMs = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round += 1) {
    const before = performance.now()
    await within.runPromise(loop)
    leastMs = Math.min(leastMs, performance.now() - before)
  }
  return (leastMs * 1e6) / times
}

const scope = Effect.runSync(Scope.make())
const detached = Effect.runSync(Scope.extend(makeDetachedRuns(), scope))
const fibers = Effect.runSync(Scope.extend(FiberSet.make(), scope))
const asTraced = Effect.fn("traced")(function* () {
  return yield* plain
})
const asUntraced = Effect.fnUntraced(function* () {
  return yield* plain
})
const asMadeAnew = () =>
  Effect.gen(function* () {
    return yield* plain
  })
const joined = Effect.flatMap(FiberSet.run(fibers, plain), Fiber.join)

const cases = {
  "one flatMap": [Effect.flatMap(plain, () => plain)],
  "looking a service up": [Service],
  "a generator with one yield (Effect.fnUntraced)": [Effect.suspend(asUntraced)],
  "the same, of a function that is made for each call (Effect.gen)": [Effect.suspend(asMadeAnew)],
  "the same with a span that nobody reads (Effect.fn)": [Effect.suspend(asTraced)],
  "traced, without an installed tracer": [traced("bench", plain)],
  "changing a FiberRef for an effect (Effect.locally)": [Effect.locally(plain, local, "one")],
  "a fiber, forked and joined (FiberSet.run, Fiber.join)": [joined],
  "the same with Effect's own metrics of fibers": [joined, counted],
  "a fiber whose exit is awaited (detachedRuns)": [detached.run(plain)],
  "Effect.retry with a schedule, of a success": [Effect.retry(plain, Schedule.exponential(50))]
}

/** The rows of the benchmark. */
export const effectCosts = async () => {
  const rows = []
  for (const [what, [effect, within = runtime]] of Object.entries(cases)) {
    const value = (await least(effect, within)) - (await least(plain, within))
    rows.push({ id: "effect", what, value: Math.max(0, value), unit: "ns" })
  }
  await Promise.all([runtime.dispose(), counted.dispose(), Effect.runPromise(Scope.close(scope, Exit.void))])
  return rows
}
