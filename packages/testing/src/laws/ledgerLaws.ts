/** The laws of the ledger: holds are covered, and each is posted or returned, once (decisions D15, D31-D33). */
import { type Balance, InsufficientCredits, Ledger, type Project, ResultStore } from "@sibyl/core"
import { Effect, Either, Exit } from "effect"
import type { HandClock } from "../clock/handClock.ts"
import { holdsThat, isEqual, type Law, type LawBroken } from "./form/law.ts"
import { storeLaws } from "./form/storeLaws.ts"
import { ledgerModelLaw } from "./ledgerModelLaw.ts"
import { sampleReport } from "./sampleReport.ts"
import { fundedProject, isStoreDefect, lawStartMs, type MakeStores, type Stores } from "./form/stores.ts"

const leaseMs = 60_000
const hourMs = 3_600_000
const drId = "d1".repeat(32)

type Body = (clock: HandClock) => Effect.Effect<void, LawBroken, Stores>

const reportOf = (project: Project, id: string, total: bigint) =>
  sampleReport({ projectId: project.projectId, id, drId, executedAtMs: lawStartMs, total })

const reportIds = (project: Project) =>
  Effect.map(
    Effect.flatMap(ResultStore, (results) => results.page({ projectId: project.projectId, drId, amount: 100 })),
    (placed) => placed.map(({ report }) => report.id)
  )

const account = (granted: bigint, used: bigint, held: bigint, periodUsed = 0n): Balance => ({
  granted,
  used,
  held,
  periodUsed
})

const unrefused = Effect.orDie

const oneOfManyHolds: Body = () =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const project = yield* fundedProject(7n)
    const tries = yield* Effect.all(
      Array.from({ length: 200 }, () => Effect.either(ledger.hold(project, 7n, leaseMs))),
      { concurrency: "unbounded" }
    )
    const refused = tries.filter(Either.isLeft).map(({ left }) => left)
    yield* isEqual(tries.length - refused.length, 1, "holds that succeed")
    for (const refusal of refused) {
      yield* holdsThat(refusal instanceof InsufficientCredits, "the others are refused for lack of credits")
      yield* isEqual(refusal.details, { required: "7", remaining: "0" }, "the refusal's details")
    }
    yield* isEqual(yield* ledger.balance(project), account(7n, 0n, 7n), "the balance")
  })

const usageLimitPerPeriod: Body = (clock) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const project = yield* fundedProject(1_000n, { periodMs: hourMs, credits: 10n })
    const first = yield* unrefused(ledger.hold(project, 6n, leaseMs))
    const refusal = yield* Effect.flip(ledger.hold(project, 5n, leaseMs)).pipe(Effect.orElseSucceed(() => undefined))
    const untilNextMs = hourMs - (lawStartMs % hourMs)
    yield* isEqual(refusal?._tag, "CreditLimitExceeded", "a hold beyond the limit")
    yield* isEqual(refusal?.retryAfterSeconds, Math.ceil(untilNextMs / 1000), "when to come again")
    // What a run did not use is available again in the same period; what it used is not.
    yield* isEqual(yield* ledger.settle(first, reportOf(project, "r1", 2n)), account(1_000n, 2n, 0n, 2n), "the balance after settling")
    const second = yield* unrefused(ledger.hold(project, 8n, 2 * hourMs))
    yield* isEqual((yield* ledger.balance(project)).periodUsed, 10n, "used in the period")
    clock.advance((refusal?.retryAfterSeconds ?? 0) * 1000)
    yield* isEqual(yield* ledger.balance(project), account(1_000n, 2n, 8n, 0n), "the balance in the next period")
    const third = yield* unrefused(ledger.hold(project, 10n, leaseMs))
    // A run counts towards the period in which it started, however long it takes.
    yield* ledger.settle(second, reportOf(project, "r2", 8n))
    yield* isEqual(yield* ledger.balance(project), account(1_000n, 10n, 10n, 10n), "a run across the boundary")
    yield* ledger.void(third)
    yield* isEqual((yield* ledger.balance(project)).periodUsed, 0n, "a void returns its part of the limit")
  })

const settleOnce: Body = () =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const project = yield* fundedProject(100n)
    const hold = yield* unrefused(ledger.hold(project, 40n, leaseMs))
    const report = reportOf(project, "r1", 15n)
    const balances = yield* Effect.all(
      Array.from({ length: 20 }, () => ledger.settle(hold, report)),
      { concurrency: "unbounded" }
    )
    for (const balance of balances) yield* isEqual(balance, account(100n, 15n, 0n), "every answer")
    yield* ledger.settle(hold, reportOf(project, "r2", 40n))
    yield* ledger.void(hold)
    yield* isEqual(yield* ledger.balance(project), account(100n, 15n, 0n), "the balance after repeats")
    yield* isEqual(yield* reportIds(project), ["r1"], "the reports")
  })

const settleCaps: Body = () =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const results = yield* ResultStore
    const project = yield* fundedProject(100n)
    const hold = yield* unrefused(ledger.hold(project, 40n, leaseMs))
    yield* isEqual(yield* ledger.settle(hold, reportOf(project, "r1", 41n)), account(100n, 40n, 0n), "a price above the hold")
    const [kept] = yield* results.page({ projectId: project.projectId, drId, amount: 1 })
    yield* isEqual(kept?.report.cost.total, 40n, "the kept report's total")
  })

const voidOnce: Body = () =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const project = yield* fundedProject(100n)
    const hold = yield* unrefused(ledger.hold(project, 40n, leaseMs))
    const other = yield* unrefused(ledger.hold(project, 10n, leaseMs))
    yield* Effect.all(
      Array.from({ length: 20 }, () => ledger.void(hold)),
      { concurrency: "unbounded", discard: true }
    )
    yield* isEqual(yield* ledger.balance(project), account(100n, 0n, 10n), "the balance after twenty voids of one hold")
    yield* isStoreDefect(ledger.settle(hold, reportOf(project, "r1", 1n)), "settling a voided hold")
    yield* isEqual(yield* ledger.balance(project), account(100n, 0n, 10n), "the balance after the attempt")
    yield* isEqual(yield* reportIds(project), [], "the reports after the attempt")
    yield* ledger.void(other)
    yield* isEqual(yield* ledger.balance(project), account(100n, 0n, 0n), "the balance at the end")
  })

const leaseEnds: Body = (clock) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const project = yield* fundedProject(10n)
    const hold = yield* unrefused(ledger.hold(project, 10n, leaseMs))
    clock.advance(leaseMs - 1)
    yield* isEqual(yield* ledger.balance(project), account(10n, 0n, 10n), "a millisecond before the end")
    clock.advance(1)
    yield* isEqual(yield* ledger.balance(project), account(10n, 0n, 0n), "at the end")
    yield* isStoreDefect(ledger.settle(hold, reportOf(project, "r1", 1n)), "settling after the lease")
    yield* ledger.void(hold)
    const next = yield* unrefused(ledger.hold(project, 10n, leaseMs))
    clock.advance(leaseMs)
    // Nothing has been read in between: the hold is void anyway, and its credits can be held again.
    yield* isStoreDefect(ledger.settle(next, reportOf(project, "r2", 1n)), "settling after a lease that nobody saw end")
    yield* unrefused(ledger.hold(project, 10n, leaseMs))
    yield* isEqual(yield* ledger.balance(project), account(10n, 0n, 10n), "held again")
    yield* isEqual(yield* reportIds(project), [], "the reports")
  })

/** A run that takes longer than a lease keeps its credits by renewing it; an ended hold cannot be renewed. */
const leaseRenewed: Body = (clock) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const project = yield* fundedProject(30n, { periodMs: hourMs, credits: 30n })
    const [first, second, other] = yield* Effect.all([
      unrefused(ledger.hold(project, 10n, leaseMs)),
      unrefused(ledger.hold(project, 7n, leaseMs)),
      unrefused(ledger.hold(project, 5n, leaseMs))
    ])
    clock.advance(leaseMs - 1)
    const renewed = yield* Effect.all([ledger.renew(first, leaseMs), ledger.renew(second, leaseMs)], {
      concurrency: "unbounded"
    })
    yield* isEqual(renewed, [true, true], "renewing before the end")
    yield* isEqual(yield* ledger.renew(first, 1), true, "renewing for less than is left")
    clock.advance(1)
    yield* isEqual(yield* ledger.balance(project), account(30n, 0n, 17n, 17n), "when the lease not renewed is over")
    yield* isEqual(yield* ledger.renew(other, leaseMs), false, "renewing after the end")
    yield* ledger.void(second)
    yield* isEqual(yield* ledger.renew(second, leaseMs), false, "renewing what was voided")
    clock.advance(leaseMs - 2)
    yield* isEqual(yield* ledger.balance(project), account(30n, 0n, 10n, 10n), "a millisecond before the new end")
    yield* ledger.settle(first, reportOf(project, "r1", 4n))
    yield* isEqual(yield* ledger.renew(first, leaseMs), false, "renewing what was settled")
    yield* isEqual(yield* ledger.balance(project), account(30n, 4n, 0n, 4n), "the balance at the end")
    const next = yield* unrefused(ledger.hold(project, 10n, leaseMs))
    yield* ledger.renew(next, 3 * leaseMs)
    clock.advance(3 * leaseMs)
    yield* isEqual(yield* ledger.balance(project), account(30n, 4n, 0n, 4n), "at the end of a renewed lease")
  })

/** Two processes that both consider themselves the runner: only one of them is paid for. */
const chargedOnceByRun: Body = () =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const project = yield* fundedProject(30n)
    const holds = yield* Effect.all([1, 2, 3].map(() => unrefused(ledger.hold(project, 10n, leaseMs))))
    const settled = yield* Effect.forEach(holds, (hold) => Effect.exit(ledger.settle(hold, reportOf(project, "r1", 4n))), {
      concurrency: "unbounded"
    })
    yield* isEqual(settled.filter(Exit.isSuccess).length, 1, "settlements of one run with three holds")
    yield* isEqual(yield* ledger.balance(project), account(30n, 4n, 20n), "the balance after them")
    yield* Effect.forEach(holds, (hold) => ledger.void(hold))
    yield* isEqual(yield* ledger.balance(project), account(30n, 4n, 0n), "after the other holds were voided")
    yield* isEqual(yield* reportIds(project), ["r1"], "the reports")
  })

const settleAgainstVoid: Body = () =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const project = yield* fundedProject(1_000n)
    let charged = 0
    for (let round = 0; round < 20; round += 1) {
      const hold = yield* unrefused(ledger.hold(project, 10n, leaseMs))
      const settle = Effect.isSuccess(Effect.sandbox(ledger.settle(hold, reportOf(project, `r${round}`, 3n))))
      const giveBack = Effect.as(ledger.void(hold), false)
      const both = round % 2 === 0 ? [settle, giveBack] : [giveBack, settle]
      const ended = yield* Effect.all(both, { concurrency: "unbounded" })
      if (ended.includes(true)) charged += 1
    }
    yield* isEqual(yield* ledger.balance(project), account(1_000n, 3n * BigInt(charged), 0n), "the balance")
    yield* isEqual((yield* reportIds(project)).length, charged, "one report for each charge")
  })

const projectsApart: Body = () =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const [mine, other] = [yield* fundedProject(5n), yield* fundedProject(2n ** 100n)]
    const hold = yield* unrefused(ledger.hold(mine, 5n, leaseMs))
    yield* unrefused(ledger.hold(other, 2n ** 99n + 1n, leaseMs))
    yield* isStoreDefect(ledger.settle(hold, reportOf(other, "r1", 1n)), "settling with another project's report")
    yield* ledger.settle(hold, reportOf(mine, "r2", 5n))
    yield* isEqual(yield* ledger.balance(mine), account(5n, 5n, 0n), "the first project")
    yield* isEqual(yield* ledger.balance(other), account(2n ** 100n, 0n, 2n ** 99n + 1n), "the second project")
    yield* isEqual(yield* reportIds(other), [], "the second project's reports")
  })

const breaches: Body = () =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const project = yield* fundedProject(5n)
    const unknown = { ...project, projectId: "00000000-0000-4000-8000-000000000000" }
    const never = { holdId: "00000000-0000-4000-8000-000000000000", projectId: project.projectId, amount: 1n }
    yield* isStoreDefect(ledger.hold(unknown, 1n, leaseMs), "a hold of an unknown project")
    yield* isStoreDefect(ledger.balance(unknown), "the balance of an unknown project")
    yield* isStoreDefect(ledger.settle(never, reportOf(project, "r1", 1n)), "settling a hold that never was")
    yield* isStoreDefect(ledger.void(never), "voiding a hold that never was")
    yield* isStoreDefect(ledger.renew(never, leaseMs), "renewing a hold that never was")
    yield* isStoreDefect(ledger.hold(project, -1n, leaseMs), "a negative hold")
    yield* isEqual(yield* ledger.balance(project), account(5n, 0n, 0n), "the balance after all that")
  })

const bodies: Readonly<Record<string, Body>> = {
  "of 200 concurrent holds with credits for one, one succeeds and 199 state what is missing": oneOfManyHolds,
  "a usage limit counts the holds and prices of its period, and a refusal states when the next one begins": usageLimitPerPeriod,
  "settling posts the price, returns the rest and appends the report, once": settleOnce,
  "settling never takes more than was held": settleCaps,
  "a run is charged once, however many holds were taken for it": chargedOnceByRun,
  "voiding returns the whole hold, once, and resolves it": voidOnce,
  "a hold is void once its lease has ended": leaseEnds,
  "a renewed lease ends later; a resolved or lapsed hold cannot be renewed": leaseRenewed,
  "of concurrent settling and voiding one wins, and a charge has its report": settleAgainstVoid,
  "projects do not affect each other's credits, of any size": projectsApart,
  "violations of the contract change nothing": breaches
}

/** The laws of the ledger, over stores from `makeStores`. */
export const ledgerLaws = (makeStores: MakeStores): ReadonlyArray<Law> => [...storeLaws(bodies, makeStores), ledgerModelLaw(makeStores)]
