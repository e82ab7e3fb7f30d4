/** Plain ends of work, beside the operators of Effect that do the same. */
import { Deferred, Effect, Exit, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { onEnd, whileTaken } from "./plainEnds.ts"

type Work = Effect.Effect<number, string>

/** How work can end by itself. */
const works: ReadonlyArray<readonly [name: string, work: Work]> = [
  ["a value", Effect.succeed(1)],
  ["a value later", Effect.delay(Effect.succeed(1), 1)],
  ["a failure", Effect.fail("no")],
  ["a defect", Effect.die("broken")],
  ["an interruption from inside", Effect.interrupt]
]

/** The exit of work over which `around` is put, and what was heard meanwhile. */
const heardOf = async (around: (work: Work, note: (text: string) => void) => Work, work: Work) => {
  const heard: Array<string> = []
  const exit = await Effect.runPromiseExit(around(work, (text) => void heard.push(text)))
  return { heard, kind: Exit.match(exit, { onFailure: (cause) => cause._tag, onSuccess: String }) }
}

/** The same for work that never ends, interrupted after it has begun. */
const interrupted = (around: (work: Work, note: (text: string) => void) => Work) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const heard: Array<string> = []
      const begun = yield* Deferred.make<void>()
      const work = Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never)
      const fiber = yield* Effect.fork(around(work, (text) => void heard.push(text)))
      yield* Deferred.await(begun)
      const exit = yield* Fiber.interrupt(fiber)
      return { heard, isInterrupted: Exit.isInterrupted(exit) }
    })
  )

describe("a plain end", () => {
  it("does not mind what is answered by code that has nothing to do", async () => {
    const taken = new Set([1])
    const giveBack: () => void = () => taken.delete(1)
    const ended = await Effect.runPromiseExit(whileTaken(() => Effect.void, Effect.succeed("done"), giveBack))
    expect([ended, taken.size]).toEqual([Exit.succeed("done"), 0])
  })

  it.each(works)("does what it leaves to do, before %s is there", async (_name, work) => {
    const later = (work: Work, note: (text: string) => void) =>
      onEnd(work, ({ _tag }) =>
        Effect.delay(
          Effect.sync(() => note(`${_tag}, later`)),
          1
        )
      )
    const effects = (work: Work, note: (text: string) => void) =>
      Effect.onExit(work, ({ _tag }) =>
        Effect.delay(
          Effect.sync(() => note(`${_tag}, later`)),
          1
        )
      )
    expect(await heardOf(later, work)).toEqual(await heardOf(effects, work))
    expect((await heardOf(later, work)).heard).toHaveLength(1)
  })

  const plain = (work: Work, note: (text: string) => void) => onEnd(work, ({ _tag }) => note(_tag))
  const effects = (work: Work, note: (text: string) => void) => Effect.onExit(work, ({ _tag }) => Effect.sync(() => note(_tag)))

  it.each(works)("hears as much of %s as Effect.onExit", async (_name, work) => {
    const seen = await heardOf(plain, work)
    expect(seen).toEqual(await heardOf(effects, work))
    expect(seen.heard).toHaveLength(1)
  })

  it("hears of an interruption", async () => {
    expect(await interrupted(plain)).toEqual({ heard: ["Failure"], isInterrupted: true })
  })
})

describe("what is taken for work", () => {
  const plain = (work: Work, note: (text: string) => void) =>
    whileTaken(
      () => Effect.sync(() => note("taken")),
      work,
      () => note("given back")
    )

  it.each(works)("is given back once after %s", async (_name, work) => {
    const effects = (inner: Work, note: (text: string) => void) =>
      Effect.acquireUseRelease(
        Effect.sync(() => note("taken")),
        () => inner,
        () => Effect.sync(() => note("given back"))
      )
    const seen = await heardOf(plain, work)
    expect(seen).toEqual(await heardOf(effects, work))
    expect(seen.heard).toEqual(["taken", "given back"])
  })

  it.each(works)("may be given back by an effect, which hears of %s", async (_name, work) => {
    const byEffect = (inner: Work, note: (text: string) => void) =>
      whileTaken(
        () => Effect.sync(() => note("taken")),
        inner,
        ({ _tag }) =>
          Effect.delay(
            Effect.sync(() => note(`given back after ${_tag}`)),
            1
          )
      )
    const { heard, kind } = await heardOf(byEffect, work)
    expect(kind).toBe((await heardOf((inner) => inner, work)).kind)
    expect(heard).toEqual(["taken", `given back after ${kind === "1" ? "Success" : "Failure"}`])
    expect(await interrupted(byEffect)).toEqual({ heard: ["taken", "given back after Failure"], isInterrupted: true })
  })

  it("is given back after an interruption", async () => {
    expect(await interrupted(plain)).toEqual({ heard: ["taken", "given back"], isInterrupted: true })
  })

  it("is not given back if it could not be taken", async () => {
    const heard: Array<string> = []
    const work = whileTaken(
      () => Effect.fail("none left"),
      Effect.sync(() => heard.push("worked")),
      () => void heard.push("given back")
    )
    expect(await Effect.runPromise(Effect.flip(work))).toBe("none left")
    expect(heard).toEqual([])
  })
})
