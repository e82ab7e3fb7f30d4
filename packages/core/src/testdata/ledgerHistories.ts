/** Random histories of ledger operations, and a store that contains only what the changes say. */
import fc from "fast-check"
import { applyOperations } from "../domain/credits/applyOperations.ts"
import type { LedgerChanges, LedgerOperation, LedgerOutcome, TimedOperation } from "../domain/credits/ledgerOperation.ts"
import { type LedgerQuery, queryOf, usagePeriodsOf } from "../domain/credits/ledgerQuery.ts"
import { type LedgerSnapshot, periodKey } from "../domain/credits/ledgerSnapshot.ts"
import type { Account } from "../domain/credits/credits.ts"
import type { Hold } from "../domain/credits/balance.ts"
import type { ExecutionReport } from "../domain/reports/executionReport.ts"
import type { JournalEntry } from "../domain/credits/journalEntry.ts"
import { aReport } from "./reports.ts"

/** The projects of every history. */
export const projectIds = ["p", "q"] as const

/** A hold by number. */
export const holdOf = (projectId: string, at: number, amount: bigint): Hold => ({
  holdId: `${projectId}-h${at}`,
  projectId,
  amount
})

/** An escrow by number. */
export const escrowOf = (projectId: string, at: number, amount: bigint): Hold => ({ holdId: `${projectId}-e${at}`, projectId, amount })

/** The report of a run by number. */
export const runOf = (projectId: string, at: number, price: bigint): ExecutionReport => ({
  ...aReport,
  projectId,
  id: `r${at}`,
  cost: { ...aReport.cost, total: price }
})

// Few different values, so that ids repeat, balances are exhausted and limits are reached.
const which = fc.nat({ max: 7 })
const escrowNumber = fc.nat({ max: 2 })
const escrowLeaseMs = fc.integer({ min: 20, max: 200 })
const projectId = fc.constantFrom(...projectIds)
const credits = fc.bigInt({ min: 0n, max: 30n })
/** Sometimes enough for escrows, which take no more than their share. */
const granted = fc.oneof(credits, fc.bigInt({ min: 60n, max: 150n }))
const leaseMs = fc.integer({ min: 1, max: 30 })
const limitCredits = fc.bigInt({ min: 0n, max: 60n })
const usageLimit = fc.option(fc.record({ periodMs: fc.constantFrom(10, 25), credits: limitCredits }))

const operation: fc.Arbitrary<LedgerOperation> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("grant" as const), projectId, credits: granted }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("withdraw" as const), projectId, credits }) },
  {
    weight: 6,
    arbitrary: fc
      .record({ projectId, which, amount: credits, leaseMs, usageLimit, recalls: fc.boolean() })
      .map(({ amount, projectId, which, ...rest }) => ({
        kind: "hold" as const,
        projectId,
        hold: holdOf(projectId, which, amount),
        ...rest
      }))
  },
  {
    weight: 5,
    arbitrary: fc
      .record({ projectId, which, price: fc.bigInt({ min: -1n, max: 40n }), run: which })
      .map(({ price, projectId, run, which }) => ({
        kind: "settle" as const,
        projectId,
        hold: holdOf(projectId, which, 0n),
        report: runOf(projectId, run, price),
        storage: [{ key: "00", value: `0${which}` }]
      }))
  },
  {
    weight: 2,
    arbitrary: fc
      .record({ projectId, which, leaseMs })
      .map(({ projectId, which, leaseMs }) => ({ kind: "renew" as const, projectId, hold: holdOf(projectId, which, 0n), leaseMs }))
  },
  {
    weight: 3,
    arbitrary: fc
      .record({ projectId, which })
      .map(({ projectId, which }) => ({ kind: "void" as const, projectId, hold: holdOf(projectId, which, 0n) }))
  },
  {
    weight: 4,
    arbitrary: fc
      .record({
        projectId,
        which: escrowNumber,
        amount: fc.bigInt({ min: 0n, max: 5n }),
        wanted: credits,
        leaseMs: escrowLeaseMs,
        usageLimit
      })
      .map(({ amount, projectId, which, ...rest }) => ({
        kind: "reserve" as const,
        projectId,
        hold: escrowOf(projectId, which, amount),
        ...rest
      }))
  },
  {
    weight: 5,
    arbitrary: fc
      .record({
        projectId,
        escrow: escrowNumber,
        which,
        amount: credits,
        price: fc.bigInt({ min: -1n, max: 20n }),
        run: which,
        drawn: credits,
        leaseMs: escrowLeaseMs,
        isRepeat: fc.nat({ max: 7 }).map((nth) => nth === 0)
      })
      .map(({ amount, drawn, escrow, isRepeat, leaseMs, price, projectId, run, which }) => {
        const { holdId: escrowId } = escrowOf(projectId, escrow, 0n)
        return {
          kind: "charge" as const,
          projectId,
          escrowId,
          hold: { ...holdOf(projectId, which, amount), holdId: `${projectId}-d${which}`, escrowId },
          report: runOf(projectId, run, price),
          storage: [{ key: "00", value: `1${which}` }],
          leaseMs,
          isRepeat,
          drawn: { escrowId, drawn }
        }
      })
  },
  {
    weight: 2,
    arbitrary: fc.record({ projectId, which: escrowNumber, drawn: credits }).map(({ drawn, projectId, which }) => {
      const hold = escrowOf(projectId, which, 0n)
      return { kind: "release" as const, projectId, hold, drawn: { escrowId: hold.holdId, drawn } }
    })
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("expire" as const, "voidAll" as const), projectId }) }
)

/** Operations at times that increase, sometimes by zero. */
export const histories: fc.Arbitrary<ReadonlyArray<TimedOperation>> = fc
  .array(fc.record({ operation, waitMs: fc.nat({ max: 8 }) }), { maxLength: 40, size: "max" })
  .map((steps) => {
    let nowMs = 0
    return steps.map(({ operation, waitMs }) => ({ operation, nowMs: (nowMs += waitMs) }))
  })

const newProject = (projectId: string): LedgerSnapshot => ({
  projectId,
  account: { granted: 0n, used: 0n, held: 0n },
  lastEntry: 0,
  holds: new Map(),
  usage: new Map(),
  charged: new Map(),
  times: new Map()
})

/** A store that reads no more than a query asks for, and contains only what changes have written. */
export class SnapshotStore {
  readonly kept = new Map<string, LedgerSnapshot>(projectIds.map((id) => [id, newProject(id)]))
  readonly journals = new Map<string, Array<JournalEntry>>(projectIds.map((id) => [id, []]))
  readonly reports: Array<LedgerChanges["reports"][number]> = []

  of(projectId: string): LedgerSnapshot {
    return this.kept.get(projectId) ?? newProject(projectId)
  }

  journal(projectId: string): ReadonlyArray<JournalEntry> {
    return this.journals.get(projectId) ?? []
  }

  /** Applies a group in one transaction. */
  perform(operations: ReadonlyArray<TimedOperation>): ReadonlyArray<LedgerOutcome> {
    const { changes, outcomes } = applyOperations(this.read(queryOf(operations, true)), operations)
    for (const change of changes) this.write(change)
    return outcomes
  }

  private read(query: LedgerQuery): ReadonlyMap<string, LedgerSnapshot> {
    return new Map(
      query.projectIds
        .filter((id) => this.kept.has(id))
        .map((id) => {
          const { charged, holds, times, usage, ...kept } = this.of(id)
          const asked = [...holds].filter(
            ([holdId, { escrow, leaseEndMs, state }]) =>
              query.holdIds.includes(holdId) || (state === "held" && (leaseEndMs <= query.leaseEndMs || escrow !== null))
          )
          const { periodsMs, startsMs } = usagePeriodsOf(
            asked.map(([, hold]) => hold),
            query
          )
          return [
            id,
            {
              ...kept,
              holds: new Map(asked),
              usage: new Map(
                [...usage].filter(([, { period }]) => periodsMs.includes(period.periodMs) && startsMs.includes(period.startMs))
              ),
              charged: new Map([...charged].filter(([reportId]) => query.reportIds.includes(reportId))),
              times: new Map([...times].filter(([drId]) => query.drIds.includes(drId)))
            }
          ]
        })
    )
  }

  private write({ account, changed, entries, lastEntry, projectId, reports, resolved, taken, times, usage }: LedgerChanges): void {
    const before = this.of(projectId)
    if (taken.some(({ holdId }) => before.holds.has(holdId))) throw new Error("a hold was taken twice")
    if ([...changed, ...resolved].some(({ holdId }) => !before.holds.has(holdId))) throw new Error("no such hold")
    this.kept.set(projectId, {
      projectId,
      account,
      lastEntry,
      holds: new Map([...before.holds, ...[...taken, ...changed, ...resolved].map((hold) => [hold.holdId, hold] as const)]),
      usage: new Map([...before.usage, ...usage.map((used) => [periodKey(used.period), used] as const)]),
      charged: new Map([...before.charged, ...reports.map(({ drawnHoldId, report }) => [report.id, drawnHoldId] as const)]),
      times: new Map([...before.times, ...times.map(({ drId, ...time }) => [drId, time] as const)])
    })
    this.journals.get(projectId)?.push(...entries)
    this.reports.push(...reports)
  }
}

/** The account that a journal adds up to. */
export const accountOf = (journal: ReadonlyArray<JournalEntry>): Account => {
  const open = new Map<string, bigint>()
  let [granted, used] = [0n, 0n]
  for (const { credits, holdId, kind } of journal) {
    if (kind === "grant") granted += credits
    if (kind === "withdraw") granted -= credits
    if (kind === "post" || kind === "charge") used += credits
    if (holdId === null) continue
    if (kind === "hold" || kind === "extend") open.set(holdId, (open.get(holdId) ?? 0n) + credits)
    else if (kind === "charge" || kind === "release") open.set(holdId, (open.get(holdId) ?? 0n) - credits)
    else open.delete(holdId)
  }
  return { granted, used, held: [...open.values()].reduce((sum, amount) => sum + amount, 0n) }
}
