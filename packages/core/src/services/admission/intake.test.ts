/** The queue before the first turn: bounded in all and by project, in time as well once it stands; those who leave make room. */
import { type Clock, type Context, Effect, Either, Fiber, Scheduler } from "effect"
import fc from "fast-check"
import { expect, it } from "vitest"
import {
  longPatienceMs,
  maxWaiting,
  minWaiting,
  mostWaiting,
  patienceMs,
  shortPatienceMs,
  standingAfterMs
} from "../../domain/runs/intakePatience.ts"
import { Intake } from "./intake.ts"

/** An intake whose requests have their turn when the test says so, at a monotonic time that it moves. */
class SteppedIntake {
  readonly #intake: Context.Tag.Service<Intake>
  readonly #scheduler = new Scheduler.ControlledScheduler()
  readonly #clock: Clock.Clock
  nowMs = 0

  constructor() {
    this.#intake = Effect.runSync(Effect.provide(Intake, Intake.layer))
    const unsafeCurrentTimeNanos = (): bigint => BigInt(this.nowMs) * 1_000_000n
    this.#clock = Object.assign(Object.create(Effect.runSync(Effect.clock)), { unsafeCurrentTimeNanos })
  }

  get waiting(): number {
    return Effect.runSync(this.#intake.waiting)
  }

  /** Requests that wait: those of the project, and all. */
  coming(projectId: string) {
    return this.#intake.coming(projectId)
  }

  /** The tag of what a request of the project would be refused with now. */
  refusal(projectId: string): string | undefined {
    return this.#intake.refusal(projectId, this.nowMs)?._tag
  }

  /** Requests of a project that arrive now; those that are not refused wait for their turn. */
  arrive(projectId: string, count: number) {
    const request = Effect.withClock(Effect.either(this.#intake.enter(projectId)), this.#clock)
    return Array.from({ length: count }, () => Effect.runFork(request, { scheduler: this.#scheduler }))
  }

  /** What such a refusal says. */
  retryAfterSeconds(projectId: string): number | undefined {
    return this.#intake.refusal(projectId, this.nowMs)?.retryAfterSeconds
  }

  /** Requests of which each, as soon as it is taken in, is followed by another one: the queue does not empty. */
  circle(projectId: string, count: number): void {
    const next = Effect.sync(() => this.circle(projectId, 1))
    const request = Effect.withClock(Effect.zipRight(this.#intake.enter(projectId), next), this.#clock)
    for (let at = 0; at < count; at += 1) Effect.runFork(request, { scheduler: this.#scheduler })
  }

  /** Everybody who waits now has a turn, not who comes meanwhile. */
  step(): void {
    this.#scheduler.step()
  }

  /** Everybody who waits has a turn, and whoever comes meanwhile. */
  turn(): void {
    while (this.#scheduler.tasks.buckets.length > 0) this.#scheduler.step()
  }
}

type Requests = ReturnType<SteppedIntake["arrive"]>

const ends = (requests: Requests) => Effect.runPromise(Effect.forEach(requests, Fiber.join))

const entered = async (requests: Requests): Promise<number> => (await ends(requests)).filter(Either.isRight).length

it("one project has half of the places, whoever comes next finds one, and the queue empties", async () => {
  const intake = new SteppedIntake()
  const first = intake.arrive("one", 2 * maxWaiting)
  expect(intake.waiting).toBe(maxWaiting / 2)
  const second = intake.arrive("two", 1)
  intake.turn()
  expect([await entered(first), await entered(second), intake.waiting]).toEqual([maxWaiting / 2, 1, 0])
  const again = intake.arrive("one", 1)
  intake.turn()
  expect(await entered(again)).toBe(1)
})

it("requests whose callers leave do not count any more", async () => {
  const intake = new SteppedIntake()
  const requests = intake.arrive("one", maxWaiting / 2)
  for (const request of requests) request.unsafeInterruptAsFork(request.id())
  intake.turn()
  expect(intake.waiting).toBe(0)
  const next = intake.arrive("one", 1)
  intake.turn()
  expect(await entered(next)).toBe(1)
})

it("requests are refused after too long, sooner while the queue does not empty", async () => {
  const intake = new SteppedIntake()
  const inBurst = intake.arrive("one", 1)
  intake.nowMs += shortPatienceMs + 1
  intake.turn()
  const late = intake.arrive("one", 1)
  intake.nowMs += longPatienceMs + 1
  const behind = intake.arrive("one", 1)
  intake.nowMs += shortPatienceMs + 1
  intake.turn()
  expect([await entered(inBurst), await entered(late), await entered(behind)]).toEqual([1, 0, 0])
  // One waits behind it, and nothing was taken in for six seconds.
  expect(await ends(late)).toMatchObject([{ left: { _tag: "Overloaded", status: 503, retryAfterSeconds: 7 } }])
  // The queue is empty now: what comes next is a burst again.
  const later = intake.arrive("one", 1)
  intake.nowMs += shortPatienceMs + 1
  intake.turn()
  expect(await entered(later)).toBe(1)
})

it("patience is long in a burst, and short once the queue has not been empty for a while", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e9 }), fc.integer({ min: 0, max: 10 * standingAfterMs }), (emptyAtMs, sinceMs) => {
      const wanted = sinceMs > standingAfterMs ? shortPatienceMs : longPatienceMs
      expect(patienceMs({ emptyAtMs }, emptyAtMs + sinceMs)).toBe(wanted)
    })
  )
})

it("a queue that stands holds what is taken in within its patience, and some in any case; a burst may be long", () => {
  fc.assert(
    fc.property(fc.nat({ max: 5_000 }), fc.integer({ min: 0, max: 10 * standingAfterMs }), (takenPerSecond, sinceMs) => {
      const wanted =
        sinceMs > standingAfterMs
          ? Math.min(maxWaiting, Math.max(minWaiting, Math.ceil((takenPerSecond * shortPatienceMs) / 1_000)))
          : maxWaiting
      expect(mostWaiting({ emptyAtMs: 7 }, takenPerSecond, 7 + sinceMs)).toBe(wanted)
    })
  )
})

it("whoever would wait in vain behind a queue that stands is refused at once, but for a project that has nothing in it", async () => {
  const intake = new SteppedIntake()
  const first = intake.arrive("one", 2 * minWaiting)
  intake.nowMs = standingAfterMs + 1
  // Nothing was taken in during the last second: the least is left, and taken.
  const late = intake.arrive("one", 1)
  expect([intake.waiting, intake.refusal("one"), intake.refusal("two")]).toEqual([2 * minWaiting, "Overloaded", undefined])
  intake.turn()
  expect([await entered(first), await entered(late)]).toEqual([0, 0])
  expect(intake.refusal("one")).toBeUndefined()
})

it("a refusal says how long what waits takes at the pace of the last second, once that has been measured", () => {
  const intake = new SteppedIntake()
  const circling = 40
  intake.circle("one", circling)
  intake.arrive("one", maxWaiting)
  expect(intake.retryAfterSeconds("one")).toBe(1)
  for (let second = 1; second <= 4; second += 1) {
    intake.nowMs = second * 1_000
    intake.step()
  }
  expect([intake.waiting, intake.refusal("one")]).toEqual([circling, undefined])
  intake.arrive("one", maxWaiting)
  expect([intake.waiting, intake.retryAfterSeconds("one")]).toEqual([maxWaiting / 2, Math.ceil(maxWaiting / 2 / circling)])
})

it("a project finds a place whatever others have brought before, in any order", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom("one", "two", "three"), fc.integer({ min: 1, max: maxWaiting })), { maxLength: 12 }),
      (bursts) => {
        const intake = new SteppedIntake()
        for (const [projectId, count] of bursts) intake.arrive(projectId, count)
        const before = intake.waiting
        expect(before).toBeLessThan(maxWaiting)
        intake.arrive("another", 1)
        expect(intake.waiting).toBe(before + 1)
        intake.turn()
        expect(intake.waiting).toBe(0)
      }
    ),
    { numRuns: 10 }
  )
})

it("tells how many wait, of a project and of all, until each has its turn", () => {
  const intake = new SteppedIntake()
  intake.arrive("one", 3)
  intake.arrive("two", 2)
  expect([intake.coming("one"), intake.coming("two"), intake.coming("three")]).toEqual([
    { own: 3, all: 5 },
    { own: 2, all: 5 },
    { own: 0, all: 5 }
  ])
  intake.turn()
  expect(intake.coming("one")).toEqual({ own: 0, all: 0 })
})
