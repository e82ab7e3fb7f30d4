/** A batch of operations comes to the same as one by one, and a book is never other than its entries add up to. */
import type { Hold } from "@sibyl/core"
import { sampleReport } from "@sibyl/testing"
import { Exit } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Book, noChanges, periodKey } from "./book.ts"
import { applyOperations, type LedgerOperation, type TimedOperation } from "./ledgerOperation.ts"

const projectId = "p"
const emptyBook: Book = {
  projectId,
  account: { granted: 0n, used: 0n, held: 0n },
  lastEntry: 0,
  holds: new Map(),
  usage: new Map(),
  reportIds: new Set(),
  changes: noChanges
}

const holdOf = (at: number, amount: bigint): Hold => ({ holdId: `h${at}`, projectId, amount })
const credits = fc.bigInt({ min: 0n, max: 30n })
const which = fc.nat({ max: 7 })
const limitCredits = fc.bigInt({ min: 0n, max: 60n })
const usageLimit = fc.option(fc.record({ periodMs: fc.constantFrom(10, 25), credits: limitCredits }))

const operation: fc.Arbitrary<LedgerOperation> = fc.oneof(
  { weight: 3, arbitrary: credits.map((amount) => ({ kind: "grant" as const, projectId, credits: amount })) },
  {
    weight: 6,
    arbitrary: fc
      .record({ which, amount: credits, leaseMs: fc.integer({ min: 1, max: 30 }), usageLimit })
      .map(({ amount, which, ...rest }) => ({ kind: "hold" as const, projectId, hold: holdOf(which, amount), ...rest }))
  },
  {
    weight: 5,
    arbitrary: fc.record({ which, price: fc.bigInt({ min: -1n, max: 40n }), report: which }).map((settled) => ({
      kind: "settle" as const,
      projectId,
      hold: holdOf(settled.which, 0n),
      report: sampleReport({ projectId, id: `r${settled.report}`, executedAtMs: 0, total: settled.price })
    }))
  },
  { weight: 3, arbitrary: which.map((at) => ({ kind: "void" as const, projectId, hold: holdOf(at, 0n) })) },
  { weight: 1, arbitrary: fc.constant({ kind: "tidy" as const, projectId }) },
  { weight: 1, arbitrary: fc.constant({ kind: "abandon" as const, projectId }) }
)

/** Operations at times that go on, sometimes by nothing. */
const history: fc.Arbitrary<ReadonlyArray<TimedOperation>> = fc
  .array(fc.record({ operation, waitMs: fc.nat({ max: 8 }) }), { maxLength: 40, size: "max" })
  .map((steps) => {
    let nowMs = 0
    return steps.map(({ operation, waitMs }) => ({ operation, nowMs: (nowMs += waitMs) }))
  })

const cut = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 10 })

/** The operations in groups of these sizes, over and over. */
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
  let book = emptyBook
  const outcomes = groups.flatMap((group) => {
    const applied = applyOperations(book, group)
    book = applied.book
    return applied.outcomes
  })
  return { book, outcomes }
}

const totals = ({ changes }: Book) => {
  const open = new Map<string, bigint>()
  let [granted, used] = [0n, 0n]
  for (const { credits, holdId, kind } of changes.entries) {
    if (kind === "grant") granted += credits
    if (kind === "post") used += credits
    if (holdId === null) continue
    if (kind === "hold") open.set(holdId, credits)
    else open.delete(holdId)
  }
  return { granted, used, held: [...open.values()].reduce((sum, amount) => sum + amount, 0n) }
}

describe("operations on a book", () => {
  it("come to the same in whatever groups they are done", () => {
    fc.assert(
      fc.property(history, cut, (operations, sizes) => {
        const one = inGroups(operations.map((operation) => [operation]))
        expect(inGroups([operations])).toEqual(one)
        expect(inGroups(groupsOf(operations, sizes))).toEqual(one)
      }),
      { numRuns: 400 }
    )
  })

  it("leave an account, holds, usage and reports that the entries add up to, and never overdraw it", () => {
    fc.assert(
      fc.property(history, (operations) => {
        const { book } = inGroups([operations])
        const { account, changes, holds, lastEntry, usage } = book
        expect(account).toEqual(totals(book))
        expect(account.used + account.held <= account.granted).toBe(true)
        expect(changes.entries.map(({ entry }) => entry)).toEqual(changes.entries.map((_, at) => at + 1))
        expect(lastEntry).toBe(changes.entries.length)
        const posts = changes.entries.filter(({ kind }) => kind === "post")
        const charged = changes.reports.map(({ entry, report }) => ({ entry, credits: report.cost.total }))
        expect(charged).toEqual(posts.map(({ credits, entry }) => ({ entry, credits })))
        expect(new Set(changes.reports.map(({ report }) => report.id)).size).toBe(changes.reports.length)
        const ofPeriods = new Map<string, bigint>()
        for (const { amount, holdId, period, state } of holds.values()) {
          const posted = posts.find((post) => post.holdId === holdId)?.credits ?? 0n
          if (period === null) continue
          const weight = state === "held" ? amount : posted
          ofPeriods.set(periodKey(period), (ofPeriods.get(periodKey(period)) ?? 0n) + weight)
        }
        for (const [key, { credits }] of usage) expect(credits).toBe(ofPeriods.get(key))
      }),
      { numRuns: 400 }
    )
  })

  it("tell each its own: a refusal and a breach leave the others alone", () => {
    const at = (operation: LedgerOperation): TimedOperation => ({ operation, nowMs: 5 })
    const report = sampleReport({ projectId, id: "r", executedAtMs: 0, total: 3n })
    const take = (which: number, amount: bigint) =>
      at({ kind: "hold", projectId, hold: holdOf(which, amount), leaseMs: 10, usageLimit: null })
    const { book, outcomes } = applyOperations(emptyBook, [
      at({ kind: "grant", projectId, credits: 10n }),
      take(1, 6n),
      take(2, 6n),
      at({ kind: "settle", projectId, hold: holdOf(9, 1n), report }),
      take(3, 4n),
      at({ kind: "settle", projectId, hold: holdOf(1, 6n), report }),
      at({ kind: "settle", projectId, hold: holdOf(3, 4n), report })
    ])
    expect(outcomes.map(Exit.isSuccess)).toEqual([true, true, false, false, true, true, false])
    expect(outcomes[2]).toMatchObject({ cause: { _tag: "Fail", error: { _tag: "InsufficientCredits" } } })
    expect(outcomes[3]).toMatchObject({ cause: { _tag: "Die", defect: { message: "hold h9 does not exist" } } })
    expect(outcomes[6]).toMatchObject({ cause: { _tag: "Die", defect: { message: "run r was charged before" } } })
    expect(book.account).toEqual({ granted: 10n, used: 3n, held: 4n })
  })
})
