/** The list of root fibers, as Effect uses it. */
import { Deferred, Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { letRootsGo, RootFibers } from "./fiberRoots.ts"

describe("root fibers", () => {
  it("are listed by Effect while they run, those that ran before too, in the order of their start", async () => {
    const mayEnd = Effect.runSync(Deferred.make<void>())
    const before = Effect.runFork(Deferred.await(mayEnd))
    expect(letRootsGo()).toBe(true)
    expect(letRootsGo()).toBe(true)
    const after = Effect.runFork(Deferred.await(mayEnd))
    const ours = () => Fiber.unsafeRoots().filter((fiber) => fiber === before || fiber === after)
    expect(ours()).toEqual([before, after])
    await Effect.runPromise(Deferred.succeed(mayEnd, undefined))
    await Effect.runPromise(Effect.all([Fiber.await(before), Fiber.await(after)]))
    expect(ours()).toEqual([])
  })

  it("are a set", () => {
    const [one, two] = [Effect.runFork(Effect.never), Effect.runFork(Effect.never)]
    const roots = new RootFibers([one])
    expect([roots.add(two).add(one).size, roots.has(two)]).toEqual([2, true])
    expect([...roots]).toEqual([one, two])
    expect([...roots.keys()]).toEqual([one, two])
    expect([...roots.entries()]).toEqual([
      [one, one],
      [two, two]
    ])
    const seen: Array<unknown> = []
    roots.forEach((fiber) => seen.push(fiber))
    expect(seen).toEqual([one, two])
    expect([roots.delete(one), roots.delete(one), roots.has(one), roots.size]).toEqual([true, false, false, 1])
    roots.clear()
    expect([roots.size, [...roots]]).toEqual([0, []])
    Effect.runFork(Fiber.interruptAll([one, two]))
  })
})
