/** Work that goes on when its caller leaves. */
import { Deferred, Effect, Exit, Fiber, FiberRef, Scope } from "effect"
import { describe, expect, it } from "vitest"
import { makeDetachedRuns } from "./detachedRuns.ts"
import { WorkOwner, workOf, workOnlyOf } from "./workOwner.ts"

const run = <A, E>(test: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Effect.scoped(test))

describe("detached work", () => {
  it("answers its caller with its value or its failure", async () => {
    const exits = await run(
      Effect.gen(function* () {
        const runs = yield* makeDetachedRuns<number, string>()
        return [yield* Effect.exit(runs.run(Effect.succeed(1))), yield* Effect.exit(runs.run(Effect.delay(Effect.fail("no"), 1)))]
      })
    )
    expect(exits).toEqual([Exit.succeed(1), Exit.fail("no")])
  })

  it("goes on when its caller is interrupted, tells of it once, and is waited for", async () => {
    const seen = await run(
      Effect.gen(function* () {
        const runs = yield* makeDetachedRuns<void, never>()
        const [begun, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const noted: Array<string> = []
        const note = (text: string) => Effect.sync(() => void noted.push(text))
        const work = Deferred.succeed(begun, undefined).pipe(
          Effect.zipRight(Deferred.await(mayEnd)),
          Effect.zipRight(note("ended")),
          Effect.onInterrupt(() => note("interrupted"))
        )
        const caller = yield* Effect.fork(
          runs.run(work, { left: () => void noted.push("left"), ended: ({ _tag }) => void noted.push(_tag) })
        )
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(caller)
        noted.push("mayEnd")
        yield* Deferred.succeed(mayEnd, undefined)
        yield* runs.settled
        return noted
      })
    )
    expect(seen).toEqual(["left", "mayEnd", "ended", "Success"])
  })

  it("can be interrupted by the end of its service, also when its caller cannot; nothing begins afterwards", async () => {
    const [first, later] = await Effect.runPromise(
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const runs = yield* Scope.extend(makeDetachedRuns<void, never>(), scope)
        const caller = yield* Effect.fork(Effect.uninterruptible(Effect.exit(runs.run(Effect.never))))
        yield* Effect.yieldNow()
        yield* Scope.close(scope, Exit.void)
        return [yield* Fiber.join(caller), yield* Effect.exit(runs.run(Effect.die("it began")))]
      })
    )
    expect([Exit.isInterrupted(first), Exit.isInterrupted(later)]).toEqual([true, true])
  })

  it("works for its caller's project, and leaves the caller's references alone", async () => {
    const local = FiberRef.unsafeMake("caller's")
    const owners = await run(
      Effect.gen(function* () {
        const runs = yield* makeDetachedRuns<string, never>()
        const work = Effect.zipLeft(FiberRef.get(WorkOwner), FiberRef.set(local, "changed"))
        const inside = yield* workOf("one", runs.run(work))
        const again = yield* workOf("one", workOf("one", runs.run(work)))
        const outside = yield* FiberRef.get(WorkOwner)
        const only = yield* workOnlyOf("two", runs.run(work))
        return [inside, again, outside, only, yield* FiberRef.get(local)]
      })
    )
    expect(owners).toEqual(["one", "one", "", "two", "caller's"])
  })
})
