/** The laws of answers under idempotency keys that are kept with the charge: both are written, or neither (decision D34). */
import {
  Idempotency,
  type IdempotencyClaim,
  type IdempotencyInput,
  type KeptAnswer,
  keptMs,
  Ledger,
  type Project,
  type UnchargedAnswer
} from "@sibyl/core"
import { Effect, Either, type Layer, Option } from "effect"
import { isEqual, type Law, LawBroken } from "./form/law.ts"
import { sampleReport } from "./sampleReport.ts"
import { type LawBody, storeLaws } from "./form/storeLaws.ts"
import { fundedProject, isStoreDefect, lawStartMs, type Stores } from "./form/stores.ts"

type Needs = Stores | Idempotency
type Body = LawBody<Needs>

const leaseMs = 10_000

const inputOf = ({ projectId }: Project, key: string, attemptId: string): IdempotencyInput => ({
  projectId,
  key,
  fingerprint: "asked",
  attemptId,
  leaseMs
})

const claimed = (input: IdempotencyInput): Effect.Effect<IdempotencyClaim, LawBroken, Idempotency> =>
  Effect.flatMap(Idempotency, (keys) =>
    Effect.flatMap(keys.claim(input), (verdict) =>
      verdict.kind === "claimed" ? Effect.succeed(verdict.claim) : Effect.fail(new LawBroken({ message: `no claim: ${verdict.kind}` }))
    )
  )

const answerOf = ({ key }: IdempotencyClaim, more = ""): UnchargedAnswer => ({ key, status: 599, texts: [`½ 🜚${more} "`, '" left'] })

const keptUnder = (claim: IdempotencyClaim): Effect.Effect<KeptAnswer | undefined, never, Idempotency> =>
  Effect.flatMap(Idempotency, (keys) => Effect.map(keys.answer(claim), Option.getOrUndefined))

const reportOf = ({ projectId }: Project, id: string) => sampleReport({ projectId, id, executedAtMs: lawStartMs, total: 3n })

const hold = (project: Project) => Effect.flatMap(Ledger, (ledger) => ledger.hold(project, 5n, 60_000))

const withTheCharge: Body = (clock) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const keys = yield* Idempotency
    const project = yield* fundedProject(1_000n)
    // Frequent runs may draw their holds from an escrow: both kinds are tried.
    for (const [at, key] of ["exact", "second", "third", "drawn"].entries()) {
      const claim = yield* claimed(inputOf(project, key, `${key} run`))
      const taken = yield* hold(project)
      yield* isEqual(yield* keptUnder(claim), undefined, "nothing is kept before the charge")
      yield* ledger.settle(taken, reportOf(project, claim.runId), { answer: answerOf(claim) })
      const body = `½ 🜚 "${1_000 - 3 * (at + 1)}" left`
      yield* isEqual(yield* keptUnder(claim), { status: 599, body }, `the answer of the ${key} run, with what remains`)
      yield* ledger.settle(taken, reportOf(project, claim.runId), { answer: answerOf(claim, "again") })
      yield* keys.keep(claim, { status: 200, body: "another" })
      yield* isEqual(yield* keptUnder(claim), { status: 599, body }, "the first answer stays")
      const verdict = yield* keys.claim(inputOf(project, key, "later"))
      yield* isEqual(verdict, { kind: "answered", answer: { status: 599, body } }, "what the next attempt is given")
      yield* isEqual(yield* keys.renew(claim, leaseMs), false, "the claim is over")
    }
    clock.advance(keptMs - 1)
    yield* isEqual((yield* keys.claim(inputOf(project, "drawn", "later"))).kind, "answered", "just before 24 hours are over")
    clock.advance(1)
    yield* claimed(inputOf(project, "drawn", "next day"))
  })

const notWithoutIt: Body = () =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const [project, other] = [yield* fundedProject(1_000n), yield* fundedProject(1_000n)]
    const claim = yield* claimed(inputOf(project, "key", "run"))
    const answer = answerOf(claim)
    const voided = yield* hold(project)
    yield* ledger.void(voided)
    yield* isStoreDefect(ledger.settle(voided, reportOf(project, "run"), { answer }), "settling a voided hold")
    yield* isEqual(yield* keptUnder(claim), undefined, "after a voided hold")
    yield* ledger.settle(yield* hold(project), reportOf(project, "another run"), { answer })
    yield* ledger.settle(yield* hold(other), reportOf(other, "run"), { answer })
    yield* isEqual(yield* keptUnder(claim), undefined, "after other runs")
    const { drId } = reportOf(project, "run").dataResult
    const timestampMs = lawStartMs
    yield* ledger.settleChosen(yield* hold(project), reportOf(project, "first"), { drId, timestampMs, owner: "other" })
    const late = yield* hold(project)
    const chosen = { drId, timestampMs, owner: "this" }
    const refused = yield* Effect.either(ledger.settleChosen(late, reportOf(project, "run"), chosen, { answer }))
    yield* isEqual(Either.isLeft(refused), true, "a timestamp that does not stand")
    yield* isEqual(yield* keptUnder(claim), undefined, "after a run that was not charged")
    yield* ledger.settle(late, reportOf(project, "run"), { answer })
    yield* isEqual((yield* keptUnder(claim))?.body, '½ 🜚 "991" left', "after its charge")
  })

const takenOver: Body = (clock) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const project = yield* fundedProject(1_000n)
    const first = yield* claimed(inputOf(project, "key", "run"))
    clock.advance(leaseMs)
    const second = yield* claimed(inputOf(project, "key", "retry"))
    yield* isEqual([second.runId, second.takenOver], ["run", true], "the same run")
    const [late, retried] = [yield* hold(project), yield* hold(project)]
    yield* ledger.settle(late, reportOf(project, first.runId), { answer: answerOf(first, "first") })
    yield* isStoreDefect(
      ledger.settle(retried, reportOf(project, second.runId), { answer: answerOf(second, "second") }),
      "charging the run again"
    )
    for (const claim of [first, second]) {
      yield* isEqual((yield* keptUnder(claim))?.body, '½ 🜚first "992" left', "the answer of the attempt that was charged")
    }
  })

const bodies: Readonly<Record<string, Body>> = {
  "a run is charged and its answer kept together, with the credits that remain": withTheCharge,
  "no answer is kept without its charge, nor with another run's": notWithoutIt,
  "a run that was taken over is charged once, and keeps the answer of that charge": takenOver
}

/** The laws of answers that are kept with charges, over stores from `makeStores`. */
export const keptAnswerLaws = (makeStores: () => Layer.Layer<Needs>): ReadonlyArray<Law> => storeLaws(bodies, makeStores)
