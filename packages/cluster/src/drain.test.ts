/** An executor that stops leaves what does not end within its time to others. */
import { Effect, Exit, Fiber, Scope } from "effect"
import { expect, it } from "vitest"
import { eventually } from "./testdata/eventually.ts"
import { fetching, openExecutor, ready, requestFor, run } from "./testdata/inProcess.ts"
import { describeNats, startNats } from "./testdata/natsServer.ts"
import { openEdge } from "./testdata/remoteEdge.ts"
import { timeless } from "./testdata/timeless.ts"

describeNats("an executor that stops", () => {
  it("waits no longer than its time for a run that does not end, which goes on elsewhere", () =>
    run(
      Effect.gen(function* () {
        const { url } = yield* startNats()
        const scope = yield* Scope.make()
        const stuck = yield* Scope.extend(
          openExecutor(url, { drainMs: 50 }, () => Effect.never),
          scope
        )
        const edge = yield* openEdge(url)
        yield* ready(edge)
        const request = requestFor(fetching(1))
        const underWay = yield* Effect.fork(edge.run(request))
        yield* eventually(() => stuck.running() === 1)
        yield* openExecutor(url)
        yield* ready(edge, 2)
        yield* Scope.close(scope, Exit.void)
        expect(stuck.running()).toBe(0)
        expect(timeless(yield* Fiber.join(underWay))).toEqual(timeless(yield* edge.run(request)))
      })
    ))

  it("is none that an edge is ready with, while it ends what it has", () =>
    run(
      Effect.gen(function* () {
        const { url } = yield* startNats()
        const scope = yield* Scope.make()
        const last = yield* Scope.extend(
          openExecutor(url, {}, () => Effect.never),
          scope
        )
        const edge = yield* openEdge(url)
        yield* ready(edge)
        const underWay = yield* Effect.fork(edge.run(requestFor(fetching(1))))
        yield* eventually(() => last.running() === 1)
        const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
        yield* eventually(() => Effect.runSync(edge.readyWorkers ?? Effect.succeed(1)) === 0)
        expect(last.running()).toBe(1)
        yield* Fiber.interrupt(underWay)
        yield* Fiber.join(closing)
      })
    ))
})
