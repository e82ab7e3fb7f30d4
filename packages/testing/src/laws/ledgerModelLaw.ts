/** The law that a ledger agrees with the model, step by step, for any steps. */
import {
  type Hold,
  type InsufficientCredits,
  type InvalidSetting,
  Ledger,
  type Project,
  type ProjectNotFound,
  Provisioning,
  ResultStore,
  StoreDefect
} from "@sibyl/core"
import { isRecalling } from "@sibyl/core/internal"
import { Cause, Effect, Exit, Option } from "effect"
import fc from "fast-check"
import { type HandClock, makeHandClock } from "../clock/handClock.ts"
import { checkedMake } from "./form/checkedMake.ts"
import { isEqual, type Law, LawBroken } from "./form/law.ts"
import { LedgerModel, type LedgerStep, type ModelLimit, type StepOutcome } from "./ledgerModel.ts"
import { sampleReport } from "./sampleReport.ts"
import { lawStartMs, type MakeStores, type Stores } from "./form/stores.ts"
import { soakCount } from "../soak/soakCount.ts"

const cases = soakCount({ everyday: 20, full: 40 })
const drId = "d2".repeat(32)
const limits: ReadonlyArray<ModelLimit | null> = [null, { periodMs: 1_000, credits: 60n }]

// Small numbers, so that balances are exhausted and limits are reached; times on a grid, so that leases end to the millisecond.
const gridMs = 100
const project = fc.nat({ max: limits.length - 1 })
const timeMs = (min: number, max: number) => fc.integer({ min, max }).map((ticks) => ticks * gridMs)
const credits = fc.bigInt({ min: 0n, max: 40n })
const steps: fc.Arbitrary<ReadonlyArray<LedgerStep>> = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("grant" as const), project, credits }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("withdraw" as const), project, credits }) },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant("hold" as const),
        project,
        amount: credits,
        leaseMs: timeMs(1, 15)
      })
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("post" as const), hold: fc.nat(), price: credits }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant("renew" as const), hold: fc.nat(), leaseMs: timeMs(1, 15) })
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("void" as const), hold: fc.nat() }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: timeMs(0, 7) }) }
  ),
  { minLength: 10, maxLength: 60, size: "max" }
)

/** A ledger and its model. */
interface Pair {
  readonly clock: HandClock
  readonly model: LedgerModel
  readonly projects: ReadonlyArray<Project>
  readonly holds: Array<Hold>
}

/** A defect that is not a violation by the caller is an outcome that the model never predicts. */
type Outcome = StepOutcome | "other defect"

const outcomeOf = <A, E extends { readonly _tag: StepOutcome }>(exit: Exit.Exit<A, E>): Outcome => {
  if (Exit.isSuccess(exit)) return "done"
  const failure = Cause.failureOption(exit.cause)
  if (failure._tag === "Some") return failure.value._tag
  const defects = [...Cause.defects(exit.cause)]
  return defects.every((defect) => defect instanceof StoreDefect) ? "StoreDefect" : "other defect"
}

/** The project exists and the amounts are valid. */
const withoutSettings = <A>(withdrawal: Effect.Effect<A, InvalidSetting | ProjectNotFound | InsufficientCredits>) =>
  Effect.catchTags(withdrawal, { InvalidSetting: Effect.die, ProjectNotFound: Effect.die })

const perform = ({ clock, holds, projects }: Pair, step: LedgerStep) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const provisioning = yield* Provisioning
    if (step.kind === "wait") return clock.advance(step.ms)
    if (step.kind === "grant" || step.kind === "withdraw" || step.kind === "hold") {
      const of = projects[step.project]
      if (of === undefined) return
      if (step.kind === "grant") return yield* Effect.asVoid(Effect.orDie(provisioning.grant(of.projectId, step.credits)))
      if (step.kind === "withdraw") return yield* Effect.asVoid(withoutSettings(provisioning.withdraw(of.projectId, step.credits)))
      return void holds.push(yield* ledger.hold(of, step.amount, step.leaseMs))
    }
    const at = step.hold % holds.length
    const hold = holds[at]
    if (hold === undefined) return
    if (step.kind === "void") return yield* ledger.void(hold)
    if (step.kind === "renew") return yield* Effect.asVoid(ledger.renew(hold, step.leaseMs))
    const executedAtMs = clock.unsafeCurrentTimeMillis()
    const report = sampleReport({ projectId: hold.projectId, id: `${at}`, drId, executedAtMs, total: step.price })
    return yield* Effect.asVoid(ledger.settle(hold, report))
  })

/** A withdrawal that waits for what servers are asked for has changed nothing yet. */
const isLater = (step: LedgerStep, exit: Exit.Exit<unknown, { readonly _tag: StepOutcome }>): boolean =>
  step.kind === "withdraw" && Exit.isFailure(exit) && isRecalling(Option.getOrUndefined(Cause.failureOption(exit.cause)))

const agree = (pair: Pair, steps: ReadonlyArray<LedgerStep>): Effect.Effect<void, LawBroken, Stores> =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const results = yield* ResultStore
    for (const [at, step] of steps.entries()) {
      const exit = yield* Effect.exit(perform(pair, step))
      if (!isLater(step, exit)) yield* isEqual<Outcome>(outcomeOf(exit), pair.model.step(step), `step ${at}, ${step.kind}`)
      for (const [index, project] of pair.projects.entries()) {
        yield* isEqual(yield* ledger.balance(project), pair.model.balance(index), `project ${index} after step ${at}`)
      }
    }
    for (const [index, { projectId }] of pair.projects.entries()) {
      const reports = yield* results.page({ projectId, drId, amount: 100 })
      const kept = reports.map(({ report }) => ({ id: Number(report.id), total: report.cost.total }))
      const charges = kept.sort((left, right) => left.id - right.id).map(({ total }) => total)
      yield* isEqual(charges, [...pair.model.charges(index)], `a report for each charge of project ${index}`)
    }
  })

const oneCase = (clock: HandClock, steps: ReadonlyArray<LedgerStep>): Effect.Effect<void, LawBroken, Stores> =>
  Effect.suspend(() => {
    const startMs = clock.unsafeCurrentTimeMillis()
    const run = Effect.gen(function* () {
      const provisioning = yield* Provisioning
      const projects = yield* Effect.forEach(limits, (usageLimit) =>
        Effect.orDie(provisioning.createProject({ organizationSlug: "model", usageLimit }))
      )
      yield* agree({ clock, projects, holds: [], model: new LedgerModel(limits, startMs) }, steps)
    })
    return Effect.withClock(run, clock)
  })

/** Random histories with repeats and lapsed leases: the ledger and the model never differ. */
export const ledgerModelLaw = (makeStores: MakeStores): Law => ({
  name: "for any history of grants, withdrawals, holds, posts, renewals, voids, repeats and leases the ledger agrees with the model",
  run: Effect.gen(function* () {
    const runtime = yield* Effect.runtime<Stores>()
    // One for all cases: a store goes on with the clock of its first one in the background.
    const clock = makeHandClock(lawStartMs)
    const property = fc.asyncProperty(steps, (history) => Effect.runPromise(Effect.provide(oneCase(clock, history), runtime)))
    yield* Effect.tryPromise({
      try: () => fc.assert(property, { numRuns: cases }),
      catch: (cause) => new LawBroken({ message: cause instanceof Error ? cause.message : String(cause) })
    })
  }).pipe((body) => Effect.suspend(() => Effect.provide(body, checkedMake(makeStores)())))
})
