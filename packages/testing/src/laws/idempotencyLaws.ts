/** The laws of the idempotency keys: one attempt runs, its answer is kept, a lapsed claim is taken over (D34). */
import {
  Idempotency,
  type IdempotencyClaim,
  type IdempotencyVerdict,
  type IdempotencyInput,
  keptMs,
  type Project,
  type Provisioning
} from "@sibyl/core"
import { Effect, type Layer } from "effect"
import type { HandClock } from "../clock/handClock.ts"
import { isEqual, type Law, LawBroken } from "./form/law.ts"
import { storeLaws } from "./form/storeLaws.ts"
import { fundedProject } from "./form/stores.ts"

type Needs = Idempotency | Provisioning
type Body = (clock: HandClock) => Effect.Effect<void, LawBroken, Needs>

const leaseMs = 10_000
const answer = { status: 599, body: '{"data":"½ 🜚"}' }

const inputOf = (project: Project, attemptId: string, more: Partial<IdempotencyInput> = {}): IdempotencyInput => ({
  projectId: project.projectId,
  key: "key",
  fingerprint: "asked",
  attemptId,
  leaseMs,
  ...more
})

/** The claim for this input, which the law needs to continue. */
const claimed = (input: IdempotencyInput): Effect.Effect<IdempotencyClaim, LawBroken, Idempotency> =>
  Effect.flatMap(Idempotency, (keys) =>
    Effect.flatMap(keys.claim(input), (verdict) =>
      verdict.kind === "claimed"
        ? Effect.succeed(verdict.claim)
        : Effect.fail(new LawBroken({ message: `attempt ${input.attemptId} is given the key, it was: ${verdict.kind}` }))
    )
  )

const verdictOn = (input: IdempotencyInput): Effect.Effect<IdempotencyVerdict, never, Idempotency> =>
  Effect.flatMap(Idempotency, (keys) => keys.claim(input))

const oneOfMany: Body = () =>
  Effect.gen(function* () {
    const project = yield* fundedProject(0n)
    const attempts = Array.from({ length: 100 }, (_, at) => verdictOn(inputOf(project, `a${at}`)))
    const verdicts = yield* Effect.all(attempts, { concurrency: "unbounded" })
    const kinds = verdicts.map(({ kind }) => kind).sort()
    yield* isEqual(kinds, ["claimed", ...Array.from({ length: 99 }, () => "running" as const)], "100 attempts at once")
  })

const keepsTheAnswer: Body = (clock) =>
  Effect.gen(function* () {
    const keys = yield* Idempotency
    const project = yield* fundedProject(0n)
    const claim = yield* claimed(inputOf(project, "a1"))
    yield* isEqual(claim, { projectId: project.projectId, key: "key", attemptId: "a1", runId: "a1", takenOver: false }, "the first claim")
    clock.advance(5_000)
    yield* keys.keep(claim, answer)
    yield* keys.keep(claim, { status: 200, body: "another" })
    yield* keys.release(claim)
    yield* isEqual(yield* keys.renew(claim, leaseMs), false, "renewing a claim that is answered")
    clock.advance(keptMs - 1)
    const again = yield* verdictOn(inputOf(project, "a2"))
    yield* isEqual(again, { kind: "answered", answer }, "the answer, just before 24 hours are over")
    const other = yield* verdictOn(inputOf(project, "a3", { fingerprint: "other" }))
    yield* isEqual(other, { kind: "otherRequest" }, "another request under the key")
    clock.advance(1)
    const fresh = yield* claimed(inputOf(project, "a4", { fingerprint: "other" }))
    yield* isEqual([fresh.runId, fresh.takenOver], ["a4", false], "after 24 hours the key is new")
  })

const leases: Body = (clock) =>
  Effect.gen(function* () {
    const keys = yield* Idempotency
    const project = yield* fundedProject(0n)
    const first = yield* claimed(inputOf(project, "a1"))
    clock.advance(leaseMs - 1)
    yield* isEqual(yield* keys.renew(first, leaseMs), true, "renewing")
    clock.advance(leaseMs - 1)
    yield* isEqual(yield* verdictOn(inputOf(project, "a2")), { kind: "running" }, "within the renewed lease")
    clock.advance(1)
    const otherRequest = yield* verdictOn(inputOf(project, "a2", { fingerprint: "other" }))
    yield* isEqual(otherRequest, { kind: "otherRequest" }, "another request after the lease")
    const second = yield* claimed(inputOf(project, "a2"))
    yield* isEqual([second.runId, second.takenOver], ["a1", true], "the lapsed claim is taken over with its run's id")
    yield* isEqual(yield* keys.renew(first, leaseMs), false, "renewing what was taken over")
    yield* keys.keep(first, { status: 200, body: "late" })
    yield* keys.release(first)
    yield* isEqual(yield* verdictOn(inputOf(project, "a3")), { kind: "running" }, "the first attempt changes nothing any more")
    yield* isEqual(yield* keys.renew(second, 0), true, "letting go")
    const third = yield* claimed(inputOf(project, "a3"))
    yield* isEqual([third.runId, third.takenOver], ["a1", true], "taken over at once")
    yield* keys.keep(third, answer)
    yield* isEqual(yield* verdictOn(inputOf(project, "a4")), { kind: "answered", answer }, "the last one's answer")
  })

const releases: Body = () =>
  Effect.gen(function* () {
    const keys = yield* Idempotency
    const project = yield* fundedProject(0n)
    yield* keys.release(yield* claimed(inputOf(project, "a1")))
    const next = yield* claimed(inputOf(project, "a2", { fingerprint: "other" }))
    yield* isEqual([next.runId, next.takenOver], ["a2", false], "the freed key is new")
  })

const keysApart: Body = () =>
  Effect.gen(function* () {
    const keys = yield* Idempotency
    const [mine, other] = [yield* fundedProject(0n), yield* fundedProject(0n)]
    yield* keys.keep(yield* claimed(inputOf(mine, "a1")), answer)
    yield* claimed(inputOf(other, "a2", { fingerprint: "other" }))
    yield* claimed(inputOf(mine, "a3", { key: "KEY" }))
    const longest = "~!".repeat(127).concat("%")
    yield* keys.keep(yield* claimed(inputOf(mine, "a4", { key: longest })), answer)
    const verdict = yield* verdictOn(inputOf(mine, "a5", { key: longest }))
    yield* isEqual(verdict, { kind: "answered", answer }, "the longest key")
  })

const sweeps: Body = (clock) =>
  Effect.gen(function* () {
    const keys = yield* Idempotency
    const project = yield* fundedProject(0n)
    const old = yield* Effect.forEach(
      Array.from({ length: 30 }, (_, at) => `${at}`),
      (key) => Effect.tap(claimed(inputOf(project, key, { key })), (claim) => keys.keep(claim, answer))
    )
    clock.advance(keptMs)
    // Claims remove expired records, and no others.
    const young = yield* Effect.forEach(
      Array.from({ length: 10 }, (_, at) => `young ${at}`),
      (key) => claimed(inputOf(project, key, { key }))
    )
    clock.advance(-1)
    const verdicts = yield* Effect.forEach(old, ({ attemptId, key }) => verdictOn(inputOf(project, attemptId, { key })))
    yield* isEqual(verdicts.filter(({ kind }) => kind === "answered").length, 0, "expired keys that are left")
    for (const claim of young) yield* isEqual(yield* keys.renew(claim, leaseMs), true, "a young claim")
  })

const bodies: Readonly<Record<string, Body>> = {
  "of 100 concurrent attempts, one gets the key and the others have to wait": oneOfMany,
  "the first answer is kept for 24 hours, for its own request": keepsTheAnswer,
  "a claim is valid while it is renewed; a lapsed one is taken over, and its former holder changes nothing any more": leases,
  "a freed key can be claimed again": releases,
  "keys differ by project and by every character": keysApart,
  "expired records are removed, and no others": sweeps
}

/** The laws of the idempotency keys, over stores from `makeStores`. */
export const idempotencyLaws = (makeStores: () => Layer.Layer<Needs>): ReadonlyArray<Law> => storeLaws(bodies, makeStores)
