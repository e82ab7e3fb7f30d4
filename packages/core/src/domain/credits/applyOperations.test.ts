/** Properties of the ledger's decisions over random histories: nothing is overdrawn, lost, charged twice or held forever. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { accountOf, histories, holdOf, projectIds, runOf, SnapshotStore } from "../../testdata/ledgerHistories.ts"
import { applyOperations, balanceAt } from "./applyOperations.ts"
import type { LedgerOperation, TimedOperation } from "./ledgerOperation.ts"
import { periodKey, usagePeriodAt } from "./ledgerSnapshot.ts"

const cut = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 10 })

/** Splits the operations into groups of these sizes, repeating the sizes. */
const groupsOf = (operations: ReadonlyArray<TimedOperation>, sizes: ReadonlyArray<number>) => {
  const groups: Array<ReadonlyArray<TimedOperation>> = []
  for (let from = 0, nth = 0; from < operations.length; nth += 1) {
    const size = sizes[nth % sizes.length] ?? 1
    groups.push(operations.slice(from, from + size))
    from += size
  }
  return groups
}

const inGroups = (groups: ReadonlyArray<ReadonlyArray<TimedOperation>>) => {
  const store = new SnapshotStore()
  return { store, outcomes: groups.flatMap((group) => store.perform(group)) }
}

const chargesOf = (store: SnapshotStore, projectId: string) =>
  store.reports
    .filter(({ report }) => report.projectId === projectId)
    .map(({ entry, report: { cost, id }, storage }) => ({ entry, id, credits: cost.total, storage }))

/** Applies the operations one by one and inspects the store after each. */
const eachStep = (
  operations: ReadonlyArray<TimedOperation>,
  look: (store: SnapshotStore, timed: TimedOperation, outcome: ReturnType<SnapshotStore["perform"]>[number]) => void
) => {
  const store = new SnapshotStore()
  for (const timed of operations) for (const outcome of store.perform([timed])) look(store, timed, outcome)
  return store
}

const property = (check: (operations: ReadonlyArray<TimedOperation>) => void) => fc.assert(fc.property(histories, check), { numRuns: 200 })

describe("operations", () => {
  it("give the same result however they are grouped, from only what their queries read", () => {
    fc.assert(
      fc.property(histories, cut, (operations, sizes) => {
        const one = inGroups(operations.map((operation) => [operation]))
        for (const groups of [[operations], groupsOf(operations, sizes)]) {
          const { outcomes, store } = inGroups(groups.filter((group) => group.length > 0))
          expect(outcomes).toEqual(one.outcomes)
          expect(store.kept).toEqual(one.store.kept)
          expect(store.journals).toEqual(one.store.journals)
          for (const id of projectIds) expect(chargesOf(store, id)).toEqual(chargesOf(one.store, id))
        }
      }),
      { numRuns: 150 }
    )
  })

  it("never overdraw an account, and agree with the sum of the journal", () =>
    property((operations) => {
      eachStep(operations, (store, { operation: { projectId } }) => {
        const { account, lastEntry } = store.of(projectId)
        expect(account).toEqual(accountOf(store.journal(projectId)))
        expect(account.used + account.held <= account.granted).toBe(true)
        expect(store.journal(projectId).map(({ entry }) => entry)).toEqual(Array.from({ length: lastEntry }, (_, at) => at + 1))
      })
    }))

  it("post and return together what was held, once for every hold", () =>
    property((operations) => {
      const endMs = (operations.at(-1)?.nowMs ?? 0) + 1
      const ends = projectIds.map((projectId) => ({ operation: { kind: "voidAll" as const, projectId }, nowMs: endMs }))
      const { store } = inGroups([operations, ends].filter((group) => group.length > 0))
      for (const projectId of projectIds) {
        const { account, holds } = store.of(projectId)
        const journal = store.journal(projectId)
        let posted = 0n
        const sumOf = (lines: typeof journal) => lines.reduce((sum, { credits }) => sum + credits, 0n)
        for (const { amount, escrow, holdId, state } of holds.values()) {
          const [taken, ...later] = journal.filter((line) => line.holdId === holdId)
          const end = later.pop()
          expect(taken?.kind).toBe("hold")
          if (taken === undefined || end === undefined) throw new Error(`hold ${holdId} has no end`)
          expect(end.kind === "post").toBe(state === "posted")
          const [extended, charged, released] = ["extend", "charge", "release"].map((kind) =>
            sumOf(later.filter((line) => line.kind === kind))
          ) as [bigint, bigint, bigint]
          if (escrow === null) expect(later).toEqual([])
          else expect(later.every(({ kind }) => kind === "extend" || kind === "charge" || kind === "release")).toBe(true)
          const left = taken.credits + extended - charged - released
          expect(left).toBe(amount)
          if (end.kind === "post") expect(end.credits >= 0n && end.credits <= amount).toBe(true)
          else expect(end.credits).toBe(amount)
          posted += charged + (end.kind === "post" ? end.credits : 0n)
        }
        expect({ used: account.used, held: account.held }).toEqual({ used: posted, held: 0n })
      }
    }))

  it("charge a run once however many holds were taken for it, and keep its report under the entry of its charge", () =>
    property((operations) => {
      const store = eachStep(operations, () => {})
      for (const projectId of projectIds) {
        const charges = chargesOf(store, projectId)
        expect(new Set(charges.map(({ id }) => id)).size).toBe(charges.length)
        const posts = store.journal(projectId).filter(({ kind }) => kind === "post" || kind === "charge")
        expect(charges.map(({ credits, entry }) => ({ credits, entry }))).toEqual(posts.map(({ credits, entry }) => ({ credits, entry })))
      }
    }))

  it("are idempotent when repeated at once, except grants, withdrawals and additions to an escrow", () =>
    property((operations) => {
      eachStep(operations, (store, timed, outcome) => {
        if (["grant", "withdraw", "reserve"].includes(timed.operation.kind)) return
        const snapshot = new Map([[timed.operation.projectId, store.of(timed.operation.projectId)]])
        const again = applyOperations(snapshot, [timed])
        // Only a first charge says that another server needs the credits.
        const repeated = outcome.kind === "settled" ? { ...outcome, isRecalled: false } : outcome
        expect(again).toEqual({ changes: [], outcomes: [repeated] })
      })
    }))

  it("keep a hold open until its lease ends or it is settled", () =>
    property((operations) => {
      const ends = new Map<string, number>()
      const store = eachStep(operations, (store, { nowMs, operation }, outcome) => {
        const isOpenAt = (holdId: string) => nowMs < (ends.get(holdId) ?? Number.NEGATIVE_INFINITY)
        const { projectId } = operation
        if (operation.kind === "hold" && outcome.kind === "done" && !ends.has(operation.hold.holdId)) {
          ends.set(operation.hold.holdId, nowMs + operation.leaseMs)
        }
        if (operation.kind === "renew" && outcome.kind === "renewed") {
          const { holdId } = operation.hold
          expect(outcome.isOpen).toBe(isOpenAt(holdId))
          if (outcome.isOpen) ends.set(holdId, Math.max(ends.get(holdId) ?? 0, nowMs + operation.leaseMs))
        }
        if (operation.kind === "settle" && outcome.kind === "breach" && isOpenAt(operation.hold.holdId)) {
          expect(outcome.message).toBe(`run ${operation.report.id} was charged before`)
        } else if (operation.kind === "settle" || operation.kind === "void") {
          if (ends.has(operation.hold.holdId)) ends.set(operation.hold.holdId, Number.NEGATIVE_INFINITY)
        }
        if (operation.kind === "voidAll") {
          for (const holdId of ends.keys()) {
            if (holdId.startsWith(projectId)) ends.set(holdId, Number.NEGATIVE_INFINITY)
          }
        }
        const holds = [...store.of(projectId).holds.values()].filter(({ escrow }) => escrow === null)
        expect(holds.map(({ state }) => state === "held")).toEqual(holds.map(({ holdId }) => isOpenAt(holdId)))
      })
      const [last] = operations.slice(-1)
      for (const projectId of projectIds) {
        expect(balanceAt(store.of(projectId), null, (last?.nowMs ?? 0) + 1_000).held).toBe(0n)
      }
    }))

  it("hold and use no more in a period than its limit, counted in the period in which the hold was taken", () =>
    property((operations) => {
      const taken = new Set<string>()
      eachStep(operations, (store, { nowMs, operation }, outcome) => {
        const { holds, usage } = store.of(operation.projectId)
        const journal = store.journal(operation.projectId)
        const counted = new Map<string, bigint>()
        for (const { amount, holdId, period, state } of holds.values()) {
          if (period === null) continue
          const charges = journal.filter(({ kind, ...line }) => (kind === "post" || kind === "charge") && line.holdId === holdId)
          const posted = charges.reduce((sum, { credits }) => sum + credits, 0n)
          const weight = state === "held" ? amount + posted : posted
          counted.set(periodKey(period), (counted.get(periodKey(period)) ?? 0n) + weight)
        }
        const kept = [...usage].map(([key, { credits }]) => [key, credits] as const)
        expect(kept).toEqual(kept.map(([key]) => [key, counted.get(key) ?? 0n]))
        if (operation.kind !== "hold") return
        const isNew = outcome.kind === "done" && !taken.has(operation.hold.holdId)
        if (isNew) taken.add(operation.hold.holdId)
        if (operation.usageLimit === null) return
        const period = usagePeriodAt(operation.usageLimit, nowMs)
        const used = period === null ? 0n : (counted.get(periodKey(period)) ?? 0n)
        if (isNew) expect(used <= operation.usageLimit.credits).toBe(true)
        if ((outcome.kind === "refused" || outcome.kind === "recalling") && outcome.refusal._tag === "CreditLimitExceeded") {
          expect(used + operation.hold.amount > operation.usageLimit.credits).toBe(true)
        }
      })
    }))

  it("have separate outcomes: a refusal or a breach does not affect the others", () => {
    const projectId = "p"
    const at = (operation: LedgerOperation): TimedOperation => ({ operation, nowMs: 5 })
    const take = (which: number, amount: bigint) =>
      at({ kind: "hold", projectId, hold: holdOf(projectId, which, amount), leaseMs: 10, usageLimit: null })
    const settle = (which: number) => at({ kind: "settle", projectId, hold: holdOf(projectId, which, 0n), report: runOf(projectId, 0, 3n) })
    const store = new SnapshotStore()
    const outcomes = store.perform([
      at({ kind: "grant", projectId, credits: 10n }),
      take(1, 6n),
      take(2, 6n),
      settle(9),
      take(3, 4n),
      settle(1),
      settle(3),
      take(4, -1n),
      at({ kind: "grant", projectId: "nobody", credits: 1n })
    ])
    expect(outcomes).toMatchObject([
      { kind: "done" },
      { kind: "done" },
      { kind: "refused", refusal: { _tag: "InsufficientCredits" } },
      { kind: "breach", message: "hold p-h9 does not exist" },
      { kind: "done" },
      { kind: "settled", balance: { granted: 10n, used: 3n, held: 4n, periodUsed: 0n } },
      { kind: "breach", message: "run r0 was charged before" },
      { kind: "breach", message: "a hold of -1 credits" },
      { kind: "breach", message: "project nobody does not exist" }
    ])
    expect(store.of(projectId).account).toEqual({ granted: 10n, used: 3n, held: 4n })
  })
})
