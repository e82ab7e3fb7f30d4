/** Stored results: answered instead of a run, refreshed behind it, shown to the next run (decisions D26 to D28). */
import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { fromUtf8 } from "../domain/encoding/bytes.ts"
import { outcome, type Script } from "../testdata/scriptedRuntime.ts"
import { inWorld, type World } from "../testdata/world.ts"
import { Credits } from "./credits.ts"
import { Execution } from "./execution.ts"

const execute = (world: World, fields?: Parameters<World["command"]>[0]) =>
  Effect.flatMap(Execution, (execution) => execution.execute(world.command(fields)))

const remembered = { returnLastResult: true }

/** Runs end with these exit codes, one after the other; their results are `r0`, `r1` and so on. */
const ending = (...exitCodes: ReadonlyArray<number>): Script => {
  let run = -1
  return ({ phase }) =>
    Effect.sync(() => {
      if (phase === "exec") run += 1
      return outcome({ exitCode: phase === "tally" ? (exitCodes[run] ?? 0) : 0, result: fromUtf8(`r${run}`) })
    })
}

const runsOf = (world: World): number => world.requests.filter(({ phase }) => phase === "exec").length

describe("returnLastResult", () => {
  it.effect("answers the last success with its own id, without a run and without a charge", () =>
    inWorld({ script: ending(0, 0, 9) }, (world) =>
      Effect.gen(function* () {
        yield* execute(world)
        const second = yield* execute(world)
        const failed = yield* execute(world)
        expect(failed.report.dataResult.exitCode).toBe(9)
        yield* TestClock.adjust("2500 millis")
        const answer = yield* execute(world, remembered)
        expect(answer.report).toEqual(second.report)
        expect(answer.cachedAgeMs).toBe(2_500)
        expect(answer.balance).toEqual(failed.balance)
        expect(runsOf(world)).toBe(3)
        expect(world.ledgerCalls).toHaveLength(6)
      })
    )
  )

  it.effect("runs when nothing is stored, or nothing of this request, or only failures", () =>
    inWorld({ script: ending(1) }, (world) =>
      Effect.gen(function* () {
        expect((yield* execute(world, remembered)).cachedAgeMs).toBeUndefined()
        expect((yield* execute(world, remembered)).cachedAgeMs).toBeUndefined()
        expect((yield* execute(world, remembered)).cachedAgeMs).toBe(0)
        const { key } = world.command()
        for (const other of [{ execInputs: fromUtf8("x") }, { tallyInputs: fromUtf8("x") }, { tallyProgramId: world.execProgramId }]) {
          expect((yield* execute(world, { ...remembered, key: { ...key, ...other } })).cachedAgeMs).toBeUndefined()
        }
        expect(runsOf(world)).toBe(5)
      })
    )
  )

  it.effect("answers only what is younger than the maximum age", () =>
    inWorld({}, (world) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("1 minute")
        yield* execute(world)
        const withAge = (maxAgeSeconds: number) =>
          Effect.map(execute(world, { ...remembered, maxAgeSeconds }), ({ cachedAgeMs }) => cachedAgeMs)
        yield* TestClock.adjust("5 seconds")
        expect(yield* withAge(5.001)).toBe(5_000)
        expect(yield* withAge(5)).toBeUndefined()
        expect(yield* withAge(5)).toBeLessThan(5_000)
        expect(yield* withAge(0)).toBeUndefined()
      })
    )
  )

  it.effect("does not care for the maximum age when nothing was asked for", () =>
    inWorld({}, (world) =>
      Effect.gen(function* () {
        yield* execute(world)
        yield* execute(world, { maxAgeSeconds: 1_000 })
        expect(runsOf(world)).toBe(2)
      })
    )
  )

  it.effect("does not answer what the project may no longer run", () =>
    inWorld({}, (world) =>
      Effect.gen(function* () {
        yield* execute(world)
        const project = { ...world.project, allowedPrograms: [] }
        expect(yield* Effect.flip(execute(world, { ...remembered, project }))).toMatchObject({
          _tag: "ProgramNotAllowed"
        })
      })
    )
  )

  it.effect("knows one project's results only", () =>
    inWorld({}, (world) =>
      Effect.gen(function* () {
        yield* execute(world)
        const project = yield* Effect.orDie(world.provisioning.createProject({ organizationSlug: "acme" }))
        yield* Effect.orDie(world.provisioning.grant(project.projectId, 10_000n))
        expect((yield* execute(world, { ...remembered, project })).cachedAgeMs).toBeUndefined()
      })
    )
  )
})

describe("the background refresh", () => {
  it.effect("runs and charges behind the answer, so that the next one is newer", () =>
    inWorld({ options: { lastResultRefresh: "background" }, script: ending() }, (world) =>
      Effect.gen(function* () {
        const first = yield* execute(world)
        const answer = yield* execute(world, remembered)
        expect(answer.report).toEqual(first.report)
        while (world.ledgerCalls.length < 4) yield* Effect.yieldNow()
        yield* (yield* Credits).settled
        expect(world.ledgerCalls).toEqual(["hold", "settle", "hold", "settle"])
        const next = yield* execute(world, remembered)
        expect(next.report.dataResult.result).toEqual(fromUtf8("r1"))
        expect(next.report.id).not.toBe(first.report.id)
      })
    )
  )

  it.effect("is silent when it cannot be paid for: the answer is what was stored", () =>
    inWorld({ credits: 1_351n, options: { profile: "public-network" } }, (world) =>
      Effect.gen(function* () {
        const first = yield* execute(world)
        const answer = yield* execute(world, remembered)
        expect(answer.report).toEqual(first.report)
        while (world.ledgerCalls.length < 3) yield* Effect.yieldNow()
        expect(world.ledgerCalls).toEqual(["hold", "settle", "refused"])
        expect(runsOf(world)).toBe(1)
      })
    )
  )

  it.effect("is off where nobody asked for it", () =>
    inWorld({}, (world) =>
      Effect.gen(function* () {
        yield* execute(world)
        yield* execute(world, remembered)
        yield* Effect.yieldNow()
        yield* (yield* Credits).settled
        expect(runsOf(world)).toBe(1)
      })
    )
  )
})

describe("injectLastResult", () => {
  const shownTo = (world: World) =>
    world.requests.findLast(({ phase }) => phase === "exec")?.envs.filter(([name]) => name.startsWith("LAST_RESULT"))

  it.effect("shows the next run the last result or the last success, in the order that programs expect", () =>
    inWorld({ script: ending(0, 7) }, (world) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("1774850103632 millis")
        yield* execute(world, { injectLastResult: "last" })
        expect(shownTo(world)).toEqual([])
        yield* execute(world)
        expect(shownTo(world)).toEqual([])
        const injected = yield* execute(world, { injectLastResult: "last" })
        expect(shownTo(world)).toEqual([
          ["LAST_RESULT", "7231"],
          ["LAST_RESULT_EXIT_CODE", "7"],
          ["LAST_RESULT_TIMESTAMP", "1774850103633"]
        ])
        yield* execute(world, { injectLastResult: "success" })
        expect(shownTo(world)).toEqual([
          ["LAST_RESULT", "7232"],
          ["LAST_RESULT_EXIT_CODE", "0"],
          ["LAST_RESULT_TIMESTAMP", "1774850103634"]
        ])
        const plain = yield* execute(world)
        expect(injected.report.dataResult.drId).toBe(plain.report.dataResult.drId)
        expect(
          world.requests
            .filter(({ phase }) => phase === "tally")
            .flatMap(({ envs }) => envs)
            .map(([name]) => name)
        ).not.toContain("LAST_RESULT")
      })
    )
  )
})
