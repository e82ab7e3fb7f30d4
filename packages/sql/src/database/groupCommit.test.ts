/** Callers share commits, get their results after the commit of their item, and can be interrupted at any time. */
import { Deferred, Effect, Exit, Fiber, FiberId, Scope } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeGroupCommit } from "./groupCommit.ts"

/** A commit that the test lets through step by step, with a record of every group. */
const gatedCommit = Effect.gen(function* () {
  const groups: Array<ReadonlyArray<string>> = []
  const begun: Array<ReadonlyArray<string>> = []
  let gate = yield* Deferred.make<void, string>()
  const commit = (items: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Exit.Exit<string>>> =>
    Effect.gen(function* () {
      begun.push(items)
      yield* Deferred.await(gate).pipe(Effect.orDie)
      groups.push(items)
      return items.map((item) => Exit.succeed(`${item}!`))
    })
  const step = (open: (gate: Deferred.Deferred<void, string>) => Effect.Effect<boolean>) =>
    Effect.gen(function* () {
      const passed = gate
      gate = yield* Deferred.make<void, string>()
      yield* open(passed)
      yield* settled
    })
  return {
    groups,
    begun,
    commit,
    letOne: step((gate) => Deferred.succeed(gate, undefined)),
    failOne: step((gate) => Deferred.fail(gate, "disk"))
  }
})

const nextTurn = Effect.promise(() => new Promise<void>((resolve) => void setImmediate(resolve)))

/** Waits until every fiber that can run has run: a group begins in the turn after the one of its first item. */
const settled = Effect.repeatN(nextTurn, 3)

/** Holds (`h...`) are undone by another item; other items need no undoing without their caller. */
const undo = (item: string) =>
  item.startsWith("h")
    ? { after: (outcome: Exit.Exit<string>) => (Exit.isSuccess(outcome) ? `undo ${outcome.value}` : undefined) }
    : undefined

const run = <A>(effect: Effect.Effect<A>) => Effect.runPromise(effect)

describe("a group commit", () => {
  it("lets a group take along what waits for its owners, as long as there is room", () =>
    run(
      Effect.gen(function* () {
        const seen: Array<ReadonlyArray<string>> = []
        const gate = yield* Deferred.make<void>()
        const submit = yield* makeGroupCommit<string, string, never>({
          mostItems: 4,
          ownerOf: (item) => item.slice(0, 1),
          bytesOf: (item) => item.length,
          mostBytes: 10,
          undo,
          commit: (items, join) =>
            Effect.gen(function* () {
              yield* Deferred.await(gate)
              const joined = join()
              seen.push([...items, "|", ...joined])
              return [...items, ...joined].map((item) => Exit.succeed(`${item}!`))
            })
        })
        const first = yield* Effect.fork(submit("a1"))
        yield* settled
        const later = yield* Effect.forEach(["b1", "a2", "a3-long-long", "a4", "b2"], (item) => Effect.fork(submit(item)))
        yield* settled
        // A caller that has left before joins no group.
        const left = yield* Effect.fork(submit("h1"))
        yield* settled
        yield* Fiber.interrupt(left)
        yield* Deferred.succeed(gate, undefined)
        const answers = yield* Effect.forEach([first, ...later], Fiber.join)
        expect(answers).toEqual(["a1!", "b1!", "a2!", "a3-long-long!", "a4!", "b2!"])
        expect(seen).toEqual([
          ["a1", "|", "a2", "a3-long-long"],
          ["b1", "a4", "b2", "|"]
        ])
      }).pipe(Effect.scoped)
    ))

  it("takes no more bytes than its maximum, except for one large item", () =>
    run(
      Effect.gen(function* () {
        const { begun, commit, letOne } = yield* gatedCommit
        const submit = yield* makeGroupCommit({ mostItems: 9, bytesOf: (item) => item.length, mostBytes: 4, commit })
        yield* Effect.fork(submit("a"))
        yield* settled
        yield* Effect.forEach(["bb", "cc", "dd", "eeeeeeee", "f"], (item) => Effect.fork(submit(item)))
        for (let group = 0; group < 4; group += 1) yield* Effect.zipRight(letOne, settled)
        expect(begun).toEqual([["a"], ["bb", "cc"], ["dd", "eeeeeeee"], ["f"]])
      }).pipe(Effect.scoped)
    ))

  it("begins after its turn, and groups what arrives meanwhile, up to the maximum", () =>
    run(
      Effect.gen(function* () {
        const { begun, commit, groups, letOne } = yield* gatedCommit
        const submit = yield* makeGroupCommit({ mostItems: 3, commit })
        const first = yield* Effect.fork(submit("a"))
        yield* settled
        expect(begun).toEqual([["a"]])
        const others = yield* Effect.forEach(["b", "c", "d", "e"], (item) => Effect.fork(submit(item)))
        yield* settled
        expect(groups).toEqual([])
        expect(yield* Fiber.poll(first)).toEqual(expect.objectContaining({ _tag: "None" }))
        yield* letOne
        expect(yield* Fiber.join(first)).toBe("a!")
        yield* letOne
        expect(yield* Effect.forEach(others.slice(0, 3), Fiber.join)).toEqual(["b!", "c!", "d!"])
        yield* letOne
        expect(groups).toEqual([["a"], ["b", "c", "d"], ["e"]])
      }).pipe(Effect.scoped)
    ))

  it("begins a full group beside another one if it may, and never one that is not full", () =>
    run(
      Effect.gen(function* () {
        const { begun, commit, groups, letOne } = yield* gatedCommit
        const submit = yield* makeGroupCommit({ mostItems: 2, mostUnderWay: 2, commit })
        yield* Effect.fork(submit("a"))
        yield* settled
        const [bc, d] = [yield* Effect.forEach(["b", "c"], (item) => Effect.fork(submit(item))), yield* Effect.fork(submit("d"))]
        const ef = yield* Effect.forEach(["e", "f"], (item) => Effect.fork(submit(item)))
        yield* settled
        // Two are under way: neither the rest nor another full one is.
        expect(begun).toEqual([["a"], ["b", "c"]])
        expect(groups).toEqual([])
        yield* letOne
        expect(yield* Effect.forEach(bc, Fiber.join)).toEqual(["b!", "c!"])
        expect(begun.slice(2)).toEqual([["d", "e"]])
        yield* Effect.fork(submit("g"))
        yield* settled
        expect(begun.slice(3)).toEqual([["f", "g"]])
        yield* letOne
        expect(yield* Effect.forEach([d, ...ef], Fiber.join)).toEqual(["d!", "e!", "f!"])
      }).pipe(Effect.scoped)
    ))

  it.each([1, 2, 3])("answers every item once, in the order of its owner, and is closed with all of them (%i at once)", (mostUnderWay) =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ item: fc.nat(9), turns: fc.nat(2), isInterrupted: fc.boolean() }), { maxLength: 40 }),
        fc.array(fc.nat(4), { minLength: 1 }),
        async (asked, commitTurns) => {
          const [begun, done]: [Array<string>, Array<string>] = [[], []]
          let [commits, underWay, mostAtOnce] = [0, 0, 0]
          const commit = (items: ReadonlyArray<string>) =>
            Effect.gen(function* () {
              if (underWay > 0) expect(items).toHaveLength(3)
              underWay += 1
              mostAtOnce = Math.max(mostAtOnce, underWay)
              begun.push(...items)
              yield* Effect.repeatN(nextTurn, commitTurns[commits++ % commitTurns.length] ?? 0)
              underWay -= 1
              done.push(...items)
              return items.map((item) => Exit.succeed(`${item}!`))
            })
          const callers = await run(
            Effect.scoped(
              Effect.gen(function* () {
                const submit = yield* makeGroupCommit({ mostItems: 3, mostUnderWay, commit, undo })
                const callers: Array<{ readonly name: string; readonly fiber: Fiber.RuntimeFiber<string>; isLate: boolean }> = []
                for (const [at, { isInterrupted, item, turns }] of asked.entries()) {
                  const name = `${item < 5 ? "h" : "s"}${at}`
                  const fiber = yield* Effect.forkDaemon(submit(name))
                  const caller = { name, fiber, isLate: false }
                  callers.push(caller)
                  yield* turns === 0 ? Effect.yieldNow() : Effect.repeatN(nextTurn, turns - 1)
                  if (!isInterrupted) continue
                  caller.isLate = done.includes(name)
                  fiber.unsafeInterruptAsFork(FiberId.none)
                }
                return callers
              })
            )
          )
          expect(done.toSorted()).toEqual(begun.toSorted())
          expect(new Set(begun).size).toBe(begun.length)
          expect(mostAtOnce).toBeLessThanOrEqual(mostUnderWay)
          for (const { fiber, isLate, name } of callers) {
            const exit = await run(Fiber.await(fiber))
            if (Exit.isSuccess(exit)) expect([exit.value, done.includes(name)]).toEqual([`${name}!`, true])
            // Whoever was interrupted before has left nothing: the item was dropped, or undone afterwards.
            else expect(isLate || name.startsWith("s") || done.includes(name) === done.includes(`undo ${name}!`)).toBe(true)
          }
          const numbers = begun.filter((item) => !item.startsWith("undo")).map((item) => Number(item.slice(1)))
          expect(numbers).toEqual(numbers.toSorted((one, other) => one - other))
        }
      )
    )
  )

  it("closes when the last group, and what it leaves to undo, is committed", () =>
    run(
      Effect.gen(function* () {
        const { begun, commit, groups, letOne } = yield* gatedCommit
        const scope = yield* Scope.make()
        const submit = yield* Scope.extend(makeGroupCommit({ mostItems: 2, commit, undo }), scope)
        const first = yield* Effect.fork(submit("h1"))
        yield* settled
        const others = yield* Effect.forEach(["b", "c", "d"], (item) => Effect.fork(submit(item)))
        yield* settled
        expect(begun).toEqual([["h1"]])
        yield* Fiber.interrupt(first)
        const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
        yield* settled
        yield* letOne
        yield* settled
        expect(groups).toEqual([["h1"]])
        expect(closing.unsafePoll()).toBeNull()
        yield* letOne
        yield* letOne
        yield* Fiber.join(closing)
        expect(groups).toEqual([["h1"], ["b", "c"], ["d", "undo h1!"]])
        expect(yield* Effect.forEach(others, Fiber.join)).toEqual(["b!", "c!", "d!"])
      })
    ))

  it("lets owners take turns, with the items of one owner in order", () =>
    run(
      Effect.gen(function* () {
        const { begun, commit, letOne } = yield* gatedCommit
        const ownerOf = (item: string): string => item.slice(0, 1)
        const submit = yield* makeGroupCommit({ mostItems: 3, ownerOf, commit })
        yield* Effect.fork(submit("a0"))
        yield* settled
        yield* Effect.forEach(["a1", "a2", "a3", "a4", "b1", "c1", "b2"], (item) => Effect.fork(submit(item)))
        for (let group = 0; group < 4; group += 1) yield* Effect.zipRight(letOne, settled)
        expect(begun).toEqual([["a0"], ["a1", "b1", "c1"], ["a2", "b2", "a3"], ["a4"]])
      }).pipe(Effect.scoped)
    ))

  it("drops the items of callers that were interrupted while waiting, and undoes those of callers interrupted during the commit", () =>
    run(
      Effect.gen(function* () {
        const { commit, groups, letOne } = yield* gatedCommit
        const submit = yield* makeGroupCommit({ mostItems: 9, commit, undo })
        const underWay = yield* Effect.fork(submit("h1"))
        yield* settled
        const waiting = yield* Effect.forEach(["h2", "s3", "h4"], (item) => Effect.fork(submit(item)))
        yield* settled
        yield* Fiber.interrupt(underWay)
        for (const fiber of waiting.slice(0, 2)) yield* Fiber.interrupt(fiber)
        yield* letOne
        yield* letOne
        expect(groups).toEqual([["h1"], ["s3", "h4", "undo h1!"]])
      }).pipe(Effect.scoped)
    ))

  it("does not undo what its caller has received", () =>
    run(
      Effect.gen(function* () {
        const { commit, groups, letOne } = yield* gatedCommit
        const submit = yield* makeGroupCommit({ mostItems: 9, commit, undo })
        const caller = yield* Effect.fork(Effect.zipRight(submit("h1"), Effect.never))
        yield* settled
        yield* letOne
        yield* Fiber.interrupt(caller)
        yield* settled
        expect(groups).toEqual([["h1"]])
      }).pipe(Effect.scoped)
    ))

  it("reports a failure to the callers of its group only", () =>
    run(
      Effect.gen(function* () {
        const { commit, failOne, letOne } = yield* gatedCommit
        const submit = yield* makeGroupCommit({ mostItems: 9, commit })
        const first = yield* Effect.fork(submit("a"))
        yield* settled
        const second = yield* Effect.forEach(["b", "c"], (item) => Effect.fork(submit(item)))
        yield* settled
        yield* failOne
        const third = yield* Effect.fork(submit("d"))
        expect(yield* Fiber.await(first)).toEqual(Exit.die("disk"))
        yield* letOne
        expect(yield* Effect.forEach(second, Fiber.join)).toEqual(["b!", "c!"])
        yield* letOne
        expect(yield* Fiber.join(third)).toBe("d!")
      }).pipe(Effect.scoped)
    ))

  it("commits what waits before its scope closes, including undoing, and refuses later items", () =>
    run(
      Effect.gen(function* () {
        const done: Array<string> = []
        const commit = (items: ReadonlyArray<string>) =>
          Effect.as(
            Effect.tap(settled, () => done.push(...items)),
            items.map((item) => Exit.succeed(`${item}!`))
          )
        const used = Effect.gen(function* () {
          const submit = yield* makeGroupCommit({ mostItems: 2, commit, undo })
          const items = ["h1", "s2", "s3", "s4", "s5"]
          const callers = yield* Effect.forEach(items, (item) => Effect.forkDaemon(submit(item)))
          yield* Effect.yieldNow()
          yield* Effect.yieldNow()
          for (const caller of callers.slice(0, 1)) yield* Fiber.interruptFork(caller)
          return { submit, callers }
        })
        const { callers, submit } = yield* Effect.scoped(used)
        expect(yield* Effect.forEach(callers.slice(1), Fiber.join)).toEqual(["s2!", "s3!", "s4!", "s5!"])
        expect(done.filter((item) => item.startsWith("s"))).toEqual(["s2", "s3", "s4", "s5"])
        expect(done.includes("h1")).toBe(done.includes("undo h1!"))
        expect(Exit.isFailure(yield* Effect.exit(submit("late")))).toBe(true)
      })
    ))
})
