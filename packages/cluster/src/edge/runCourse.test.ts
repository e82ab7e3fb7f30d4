/** Runs in model time, over executors that die, freeze and thaw, and a network that loses: each ends once, as it should, in bounded time. */
import { soakCount } from "@sibyl/testing/soak"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Reply } from "../contract/replies.ts"
import { contractVersion } from "../contract/subjects.ts"
import { entryAt, ModelAtWork, type ModelExecutor, type ModelNetwork, ModelWorld, outcomeOf } from "../testdata/modelExecutors.ts"
import { Liveness, probeMs } from "./liveness.ts"
import { Roster } from "./roster.ts"
import { courseTimes } from "./courseTimes.ts"
import { courseOf, type CourseAction, type CourseEvent, type RunCourse, stepOf, wakeMs } from "./runCourse.ts"

const waitMs = 3_000
const tickMs = 5

/** A run that nobody has been offered, at the time 0. */
const unbegun = courseOf({ startTimeMs: 0, seed: new Uint8Array(), entries: [] }, waitMs, false, 0)

/** Surroundings at the time 0 in which this executor is picked, for an attempt `e.1`. */
const aroundOf = (picked: string) => ({
  nowMs: 0,
  others: new Set<string>(),
  pick: () => picked,
  has: () => true,
  groupIsTrusted: true,
  nextAttempt: () => "e.1"
})

interface EndOfRun {
  readonly kind: "done" | "overloaded" | "defect"
  readonly atMs: number
}

interface Scene {
  readonly executors: ReadonlyArray<ModelExecutor>
  readonly network: ModelNetwork
  readonly runs: number
  /** Entries of each run's tape. */
  readonly length: number
  /** What executors are drawn by. Default: numbers that are the same in every play. */
  readonly random?: () => number
}

/** Numbers from 0 to below 1 that look like chance, by the generator of Park and Miller. */
const evenChance = (): (() => number) => {
  let state = 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

/** An edge of the model: its decisions are the real ones. */
class ModelEdge {
  readonly roster: Roster
  readonly liveness = new Liveness()
  readonly ends = new Map<number, Array<EndOfRun>>()
  readonly offers: Array<{ readonly run: number; readonly length: number; readonly to: string | undefined }> = []
  readonly world: ModelWorld
  readonly executors: ReadonlyArray<ModelAtWork>
  private readonly courses = new Map<number, RunCourse>()
  private readonly runOf = new Map<string, number>()
  private distrustedUntilMs = 0
  private attempts = 0
  private turn = 0

  constructor({ executors, length, network, random = evenChance(), runs }: Scene) {
    this.roster = new Roster("", random)
    this.world = new ModelWorld(network)
    const toEdge = (attempt: string, reply: Reply): void => this.replied(attempt, reply)
    this.executors = executors.map((plan) => new ModelAtWork(plan, this.world, length, toEdge))
    for (let run = 0; run < runs; run += 1) {
      this.world.plan(run * 7, () => {
        this.courses.set(run, courseOf({ startTimeMs: 0, seed: new Uint8Array(), entries: [] }, waitMs, false, this.world.nowMs))
        this.tell(run, { kind: "time" })
      })
    }
    this.beats()
    this.looks()
    this.ticks()
  }

  private beats(): void {
    for (const one of this.executors) {
      one.awake(() => {
        const { engine, id } = one.plan
        const beat = { id, zone: "", free: one.book.free, engine, version: "", contracts: [contractVersion] }
        for (const attempt of one.book.look(this.world.nowMs, !this.world.isDown(this.world.nowMs))) one.book.forget(attempt)
        this.world.send(() => this.roster.beat(beat, this.world.nowMs))
      })
    }
    this.world.plan(probeMs, () => this.beats())
  }

  private looks(): void {
    const { nowMs } = this.world
    for (const id of this.liveness.look(nowMs, !this.world.isDown(nowMs))) this.lost(id)
    for (const one of this.executors) {
      const { id } = one.plan
      const waited = [...this.courses.values()].flatMap(({ place }) =>
        place.kind === "running" && place.executor === id ? [[place.attempt, place.next] as const] : []
      )
      if (waited.length === 0) continue
      this.world.send(() => {
        if (!one.lives) return this.world.send(() => (this.liveness.believesNobody(this.world.nowMs) ? this.lost(id) : undefined))
        one.probed(waited, (unknown) => {
          this.liveness.heard(id, this.world.nowMs)
          for (const attempt of unknown) this.tellAttempt(attempt, { kind: "lost", executor: id, attempt })
        })
      })
    }
    this.world.plan(probeMs, () => this.looks())
  }

  private ticks(): void {
    for (const [run, course] of this.courses) {
      if ((wakeMs(course) ?? Number.POSITIVE_INFINITY) <= this.world.nowMs) this.tell(run, { kind: "time" })
    }
    this.world.plan(tickMs, () => this.ticks())
  }

  private lost(executor: string): void {
    this.liveness.forget(executor)
    this.roster.lost(executor)
    for (const run of this.courses.keys()) this.tell(run, { kind: "lost", executor })
  }

  private replied(attempt: string, reply: Reply): void {
    this.liveness.heard(reply.executor, this.world.nowMs)
    const run = this.runOf.get(attempt)
    const course = this.courses.get(run ?? -1)
    const place = course?.place ?? ({ kind: "ended" } as const)
    const isLate = (place.kind === "offered" || place.kind === "waiting") && course?.unanswered.has(attempt) === true
    const isCurrent = isLate || ((place.kind === "offered" || place.kind === "running") && place.attempt === attempt)
    if (run !== undefined && isCurrent) return this.tell(run, { kind: "reply", attempt, reply })
    if (reply.body.kind !== "full") this.cancel(reply.executor, attempt)
  }

  private tellAttempt(attempt: string, event: CourseEvent): void {
    const run = this.runOf.get(attempt)
    if (run !== undefined) this.tell(run, event)
  }

  private tell(run: number, event: CourseEvent): void {
    const before = this.courses.get(run)
    if (before === undefined) return
    const { nowMs } = this.world
    const { actions, course } = stepOf(before, event, {
      nowMs,
      others: new Set(),
      pick: (need) => this.roster.pick(need, nowMs),
      has: (need) => this.roster.has(need, nowMs),
      groupIsTrusted: nowMs >= this.distrustedUntilMs,
      nextAttempt: () => `e.${(this.attempts += 1).toString(36)}`
    })
    this.courses.set(run, course)
    if (course.place.kind === "running") this.liveness.watch(course.place.executor, nowMs)
    for (const action of actions) this.carryOut(run, course, action)
  }

  private carryOut(run: number, { tape }: RunCourse, action: CourseAction): void {
    switch (action.kind) {
      case "offer": {
        this.runOf.set(action.attempt, run)
        if (action.to !== undefined) this.roster.offered(action.to)
        this.offers.push({ run, length: tape.entries.length, to: action.to })
        const living = this.executors.filter(({ lives }) => lives)
        // A queue group gives each message to one of those that are connected, frozen or not.
        const member = action.to === undefined ? living[(this.turn += 1) % living.length] : living.find(({ plan }) => plan.id === action.to)
        return this.world.send(() => {
          if (member?.lives === true) member.take(action.attempt, tape)
          else this.world.send(() => this.tellAttempt(action.attempt, { kind: "nobody", attempt: action.attempt }))
        })
      }
      case "cancel":
        return this.cancel(action.executor, action.attempt)
      case "distrust":
        this.distrustedUntilMs = this.world.nowMs + 2_000
        return
      case "full":
        return this.roster.full(action.executor)
      case "heard":
        this.cancel(action.executor, action.attempt)
        return this.roster.freed(action.executor)
      case "done":
        expect(action.outcome).toEqual(outcomeOf(tape.entries.length))
        return this.end(run, "done")
      case "overloaded":
      case "defect":
        return this.end(run, action.kind)
      default:
        return
    }
  }

  private cancel(executor: string, attempt: string): void {
    const one = this.executors.find(({ plan }) => plan.id === executor)
    this.world.send(() => one?.cancel(attempt))
  }

  private end(run: number, kind: EndOfRun["kind"]): void {
    this.ends.set(run, [...(this.ends.get(run) ?? []), { kind, atMs: this.world.nowMs }])
  }
}

const play = (scene: Scene, endMs: number): ModelEdge => {
  const edge = new ModelEdge(scene)
  edge.world.runUntil(endMs, () => false)
  return edge
}

const healthy = (id: string, over: Partial<ModelExecutor> = {}): ModelExecutor => ({ id, places: 4, engine: "a", entryMs: 50, ...over })

const span = fc
  .tuple(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 1, max: 4_000 }))
  .map(([from, length]) => [from, from + length] as const)

const faulty = (id: string): fc.Arbitrary<ModelExecutor> =>
  fc
    .record({
      places: fc.integer({ min: 1, max: 4 }),
      engine: fc.constantFrom("a", "a", "b"),
      entryMs: fc.integer({ min: 1, max: 200 }),
      frozen: fc.option(span, { nil: undefined }),
      diesMs: fc.option(fc.integer({ min: 0, max: 4_000 }), { nil: undefined })
    })
    .map(({ diesMs, frozen, ...rest }) => ({
      id,
      ...rest,
      ...(frozen === undefined ? {} : { frozen }),
      ...(diesMs === undefined ? {} : { diesMs })
    }))

const scene: fc.Arbitrary<Scene> = fc.record({
  // One of them stays well, so that there is always somebody to go on.
  executors: fc.tuple(faulty("one"), faulty("two"), faulty("three")).map((some) => [...some, healthy("well", { places: 50 })]),
  network: fc
    .record({
      delayMs: fc.integer({ min: 0, max: 20 }),
      downMs: fc.option(
        fc
          .tuple(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 1, max: 1_500 }))
          .map(([from, length]) => [from, from + length] as const),
        { nil: undefined }
      )
    })
    .map(({ delayMs, downMs }) => ({ delayMs, ...(downMs === undefined ? {} : { downMs }) })),
  runs: fc.integer({ min: 1, max: 12 }),
  length: fc.integer({ min: 0, max: 8 })
})

describe("runs over executors that fail", () => {
  it("end once, done, while one executor is well", () => {
    fc.assert(
      fc.property(scene, (drawn) => {
        const edge = play(drawn, 30_000)
        for (let run = 0; run < drawn.runs; run += 1) expect(edge.ends.get(run)).toEqual([{ kind: "done", atMs: expect.any(Number) }])
        // Nothing is left at those that live: what was given up was told, or is given up by them.
        for (const { book, lives } of edge.executors) if (lives) expect(book.count).toBe(0)
        // A run goes on from its tape; it begins again only on another virtual machine.
        const engines = new Set(drawn.executors.map(({ engine }) => engine))
        for (let run = 0; engines.size === 1 && run < drawn.runs; run += 1) {
          const lengths = edge.offers.filter((offer) => offer.run === run).map(({ length }) => length)
          expect(lengths).toEqual(lengths.toSorted((one, two) => one - two))
        }
      }),
      { numRuns: soakCount({ everyday: 150, full: 5_000 }) }
    )
  })

  it("go on within a second when their executor dies or freezes", () => {
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 900 }), fc.boolean(), fc.integer({ min: 0, max: 20 }), (atMs, dies, delayMs) => {
        const fault = dies ? { diesMs: atMs } : { frozen: [atMs, 60_000] as const }
        const executors = [healthy("ill", { entryMs: 100, ...fault }), healthy("well", { entryMs: 100 })]
        const edge = play({ executors, network: { delayMs }, runs: 2, length: 9 }, 30_000)
        const ends = [...edge.ends.values()].flat()
        expect(ends.map(({ kind }) => kind)).toEqual(["done", "done"])
        const undisturbedMs = 10 * 100 + 7
        // An entry under way is lost, and an offer to the frozen one, which nobody accepts.
        const lostMs = 100 + courseTimes.acceptMs + 1_000 + 10 * delayMs + 2 * probeMs
        expect(Math.max(...ends.map((end) => end.atMs))).toBeLessThanOrEqual(undisturbedMs + lostMs)
      }),
      { numRuns: 100 }
    )
  })

  it("are refused when nobody takes them in time, and when nobody can go on", () => {
    const full = play({ executors: [healthy("one", { places: 1, entryMs: 9_000 })], network: { delayMs: 1 }, runs: 2, length: 0 }, 20_000)
    expect(
      [...full.ends.values()]
        .flat()
        .map(({ kind }) => kind)
        .toSorted()
    ).toEqual(["done", "overloaded"])
    const nobody = play({ executors: [], network: { delayMs: 1 }, runs: 1, length: 0 }, 20_000)
    expect(nobody.ends.get(0)).toEqual([{ kind: "overloaded", atMs: expect.any(Number) }])
    expect(nobody.ends.get(0)?.[0]?.atMs).toBeLessThanOrEqual(waitMs + 2 * courseTimes.acceptMs)
    const dying = play({ executors: [healthy("one", { diesMs: 100 })], network: { delayMs: 1 }, runs: 1, length: 9 }, 30_000)
    expect(dying.ends.get(0)).toEqual([{ kind: "overloaded", atMs: expect.any(Number) }])
  })

  it("end no more executors than a few: it may be a run that ends them", () => {
    const dying = Array.from({ length: 9 }, (_, at) => healthy(`e${at}`, { entryMs: 10_000, places: 20 - at, diesMs: 300 + 600 * at }))
    const executors = [...dying, healthy("well", { places: 1 })]
    // Always the first of those that live: each has the run when it dies.
    const edge = play({ executors, network: { delayMs: 1 }, runs: 1, length: 1, random: () => 0 }, 60_000)
    expect(edge.ends.get(0)).toEqual([{ kind: "defect", atMs: expect.any(Number) }])
    expect(new Set(edge.offers.map(({ to }) => to)).size).toBeLessThanOrEqual(2 + courseTimes.mostDeaths)
  })

  it("go on as soon as the network is back, from what was said meanwhile", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 600 }), (from, length) => {
        const network = { delayMs: 2, downMs: [from, from + length] as const }
        const edge = play({ executors: [healthy("one")], network, runs: 1, length: 9 }, 30_000)
        const [end] = edge.ends.get(0) ?? []
        expect(end?.kind).toBe("done")
        // It worked on while nobody heard it, if it had been given the run.
        const givenMs = from < 10 ? from + length + courseTimes.acceptMs + courseTimes.deafMs : 0
        expect(end?.atMs).toBeLessThanOrEqual(Math.max(givenMs + 10 * 50, from + length) + 3 * probeMs)
        expect(edge.offers.filter((offer) => offer.length > 0)).toEqual([])
      })
    )
  })

  it("are taken by whoever accepts first, also late", () => {
    const around = aroundOf("two")
    const first = stepOf(unbegun, { kind: "time" }, around)
    const second = stepOf(first.course, { kind: "time" }, { ...around, nowMs: courseTimes.acceptMs, nextAttempt: () => "e.2" })
    expect(second.actions).toEqual([{ kind: "distrust" }, { kind: "offer", attempt: "e.2", to: "two" }])
    const accepting = (attempt: string, executor: string): CourseEvent => ({
      kind: "reply",
      attempt,
      reply: { n: 0, executor, body: { kind: "accepted", engine: "a" } }
    })
    const late = stepOf(second.course, accepting("e.1", "one"), around)
    expect(late.course.place).toEqual({ kind: "running", attempt: "e.1", executor: "one", next: 1 })
    expect(stepOf(late.course, accepting("e.2", "two"), around)).toEqual({ course: late.course, actions: [] })
  })

  it("say whether it was a free place that was missing, an answer, or any executor", () => {
    const tooLate = { ...aroundOf("one"), nowMs: unbegun.searchUntilMs }
    const said = (has: boolean) => stepOf(unbegun, { kind: "time" }, { ...tooLate, has: () => has }).actions
    const nothing = "nothing ran and nothing was charged"
    expect(said(true)).toEqual([{ kind: "overloaded", why: `no executor had a free place in time; ${nothing}` }])
    expect(said(false)).toEqual([{ kind: "overloaded", why: `no executor is heard; ${nothing}` }])
    const offered = stepOf(unbegun, { kind: "time" }, aroundOf("one"))
    const silence = stepOf(offered.course, { kind: "time" }, tooLate)
    expect(silence.actions.at(-1)).toEqual({ kind: "overloaded", why: `no executor answered an offer in time; ${nothing}` })
  })

  it("are given up when NATS stays away, and never after they have ended", () => {
    const around = aroundOf("one")
    // One that has not begun is refused when its time to look for a place is over, as without executors.
    expect(stepOf(unbegun, { kind: "cutOff" }, around)).toEqual({ course: unbegun, actions: [] })
    const offered = stepOf(unbegun, { kind: "time" }, around)
    expect(stepOf(offered.course, { kind: "cutOff" }, around)).toEqual({ course: offered.course, actions: [] })
    const accepted: CourseEvent = {
      kind: "reply",
      attempt: "e.1",
      reply: { n: 0, executor: "one", body: { kind: "accepted", engine: "a" } }
    }
    const cut = stepOf(stepOf(offered.course, accepted, around).course, { kind: "cutOff" }, around)
    expect(cut.actions).toEqual([{ kind: "overloaded", why: expect.stringMatching(/not be reached .*nothing was charged$/) }])
    for (const kind of ["cutOff", "time", "abandoned"] as const)
      expect(stepOf(cut.course, { kind }, around)).toEqual({ course: cut.course, actions: [] })
  })

  it("a late message of an attempt that was given up has no say", () => {
    const around = { ...aroundOf("two"), nextAttempt: () => "e.2" }
    const offered = stepOf(unbegun, { kind: "time" }, aroundOf("two"))
    const accepted: CourseEvent = {
      kind: "reply",
      attempt: "e.1",
      reply: { n: 0, executor: "one", body: { kind: "accepted", engine: "a" } }
    }
    const moved = stepOf(stepOf(offered.course, accepted, around).course, { kind: "lost", executor: "one" }, around)
    expect(moved.actions).toEqual([{ kind: "offer", attempt: "e.2", to: "two" }])
    const bodies: ReadonlyArray<Reply["body"]> = [
      { kind: "done", outcome: outcomeOf(0) },
      {
        kind: "tape",
        from: 0,
        entries: [entryAt(0)],
        spent: { wallClockLeftMs: 1, httpLeftMs: 1, workerMs: 1, gasUsed: 1n, storedBefore: new Map() }
      },
      { kind: "defect", message: "late" }
    ]
    const again: CourseEvent = { kind: "reply", attempt: "e.2", reply: { n: 0, executor: "two", body: { kind: "accepted", engine: "a" } } }
    for (const course of [moved.course, stepOf(moved.course, again, around).course]) {
      for (const body of bodies) {
        const late = stepOf(course, { kind: "reply", attempt: "e.1", reply: { n: 1, executor: "one", body } }, around)
        expect(late).toEqual({ course, actions: [] })
      }
    }
  })
})
