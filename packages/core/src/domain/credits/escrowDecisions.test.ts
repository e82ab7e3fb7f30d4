/** Properties of escrows over random histories: a run is charged once, a drawn hold is covered, what is shown as held is drawn. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { escrowOf, histories, holdOf, projectIds, runOf, SnapshotStore } from "../../testdata/ledgerHistories.ts"
import { balanceAt } from "./applyOperations.ts"
import { remainingOf } from "./balance.ts"
import { escrowShare, escrowSize } from "./escrowSize.ts"
import type { LedgerOperation } from "./ledgerOperation.ts"
import { undrawnOf } from "./ledgerSnapshot.ts"

const projectId = "p"
const escrow = escrowOf(projectId, 0, 1n)
const drawnOf = (drawn: bigint) => ({ escrowId: escrow.holdId, drawn })
const draw = (at: number, amount: bigint) => ({ ...holdOf(projectId, at, amount), escrowId: escrow.holdId })

const reserve = (
  wanted: bigint,
  usageLimit: { readonly periodMs: number; readonly credits: bigint } | null = null,
  hold = escrow
): LedgerOperation => ({ kind: "reserve", projectId, hold, wanted, leaseMs: 100, usageLimit })

const charge = (at: number, { drawn = 0n, isRepeat = false, price = 3n } = {}): LedgerOperation => ({
  kind: "charge",
  projectId,
  escrowId: escrow.holdId,
  hold: draw(at, 10n),
  report: runOf(projectId, at, price),
  storage: [],
  leaseMs: 100,
  isRepeat,
  drawn: drawnOf(drawn)
})

const release = (drawn: bigint): LedgerOperation => ({ kind: "release", projectId, hold: escrow, drawn: drawnOf(drawn) })

const storeWith = (...operations: ReadonlyArray<LedgerOperation>) => {
  const store = new SnapshotStore()
  store.perform([{ operation: { kind: "grant", projectId, credits: 400n }, nowMs: 0 }])
  const outcomes = operations.flatMap((operation, at) => store.perform([{ operation, nowMs: at }]))
  return { store, outcomes, kinds: () => store.journal(projectId).map(({ credits, kind }) => `${kind} ${credits}`) }
}

describe("an escrow", () => {
  it("takes a part of what is available at most, also of a usage limit, or nothing", () => {
    expect(storeWith(reserve(1_000n)).outcomes).toEqual([{ kind: "reserved", added: 100n, leaseEndMs: 100 }])
    expect(storeWith(reserve(50n)).outcomes).toEqual([{ kind: "reserved", added: 50n, leaseEndMs: 100 }])
    expect(storeWith(reserve(50n, { periodMs: 10, credits: 80n })).outcomes).toEqual([{ kind: "reserved", added: 20n, leaseEndMs: 100 }])
    expect(storeWith(reserve(200n, null, { ...escrow, amount: 101n })).outcomes).toEqual([{ kind: "reserved", added: 0n, leaseEndMs: 0 }])
    fc.assert(
      fc.property(fc.bigInt(0n, 1_000n), fc.bigInt(0n, 1_000n), fc.bigInt(0n, 1_000n), (granted, credits, periodUsed) => {
        const share = escrowShare({ granted, used: 0n, held: 0n, periodUsed }, { periodMs: 10, credits })
        expect(share >= 0n && share * 4n <= granted && (share === 0n || share * 4n <= credits - periodUsed)).toBe(true)
      })
    )
  })

  it("has room for the runs in flight and for what runs cost in some seconds", () => {
    expect(escrowSize({ amount: 10n, peakDrawn: 0n, spentPerSecond: 0n })).toBe(40n)
    expect(escrowSize({ amount: 10n, peakDrawn: 500n, spentPerSecond: 25n })).toBe(1_140n)
  })

  it("pays for runs and stays open, then gives back what is not drawn and is closed with the last charge", () => {
    const { kinds, outcomes, store } = storeWith(
      reserve(50n),
      charge(1, { drawn: 20n }),
      reserve(10n),
      release(20n),
      charge(2, { drawn: 10n + 7n }),
      charge(3, { price: 99n })
    )
    expect(kinds()).toEqual(["grant 400", "hold 50", "charge 3", "extend 10", "release 37", "charge 3", "charge 10", "void 7"])
    expect(outcomes.map(({ kind }) => kind)).toEqual(["reserved", "settled", "reserved", "done", "settled", "settled"])
    expect(store.of(projectId).account.held).toBe(0n)
  })

  it("is waited for as long as less may be drawn than its server says, because its charges are being written", () => {
    const wanted = holdOf(projectId, 9, 380n)
    const hold: LedgerOperation = { kind: "hold", projectId, hold: wanted, leaseMs: 100, usageLimit: null, recalls: true }
    // Two runs have drawn 20 of 21 credits. When the server says so, the charge of one is under way, and is written first.
    const written = [reserve(21n), charge(1, { drawn: 10n, price: 10n })]
    const said = (mayBeLess: boolean): LedgerOperation => ({ ...release(20n), drawn: { ...drawnOf(20n), mayBeLess } })
    const { outcomes, store } = storeWith(...written, said(true), hold, release(10n), hold)
    expect(outcomes.map(({ kind }) => kind)).toEqual(["reserved", "settled", "done", "recalling", "done", "done"])
    expect(store.of(projectId).account.held).toBe(10n + 380n)
    // Otherwise the credit that is left would be nobody's until the next charge.
    expect(storeWith(...written, said(false), hold).outcomes.at(-1)).toMatchObject({ kind: "refused" })
  })

  it("settles a charge again without a change, another hold's never, and an unknown one only if it was charged", () => {
    const again = charge(1, { isRepeat: true })
    const other = { ...charge(1), hold: draw(2, 10n) } as LedgerOperation
    const { kinds, outcomes } = storeWith(
      reserve(50n),
      charge(1),
      again,
      other,
      charge(3, { isRepeat: true }),
      release(0n),
      again,
      charge(4)
    )
    expect(outcomes).toMatchObject([
      { kind: "reserved" },
      { kind: "settled", balance: { used: 3n, held: 0n } },
      { kind: "settled", balance: { used: 3n, held: 0n } },
      { kind: "breach", message: "run r1 was charged before" },
      { kind: "breach", message: "hold p-h3 was voided, it cannot be settled" },
      { kind: "done" },
      { kind: "settled", balance: { used: 3n, held: 0n } },
      { kind: "breach", message: "hold p-h4 was voided, it cannot be settled" }
    ])
    expect(kinds()).toEqual(["grant 400", "hold 50", "charge 3", "void 47"])
  })

  it("is recalled by a hold that would be refused, until its server has given back what is not drawn", () => {
    const hold: LedgerOperation = {
      kind: "hold",
      projectId,
      hold: holdOf(projectId, 9, 380n),
      leaseMs: 100,
      usageLimit: null,
      recalls: true
    }
    const { outcomes } = storeWith(reserve(50n), hold, charge(1, { drawn: 10n }), hold, release(10n), hold, charge(2), hold)
    const kinds = outcomes.map(({ kind }) => kind)
    expect(kinds).toEqual(["reserved", "recalling", "settled", "recalling", "done", "done", "settled", "done"])
    expect(outcomes[2]).toMatchObject({ isRecalled: true })
  })

  it("shows as held what is drawn, and remains within the account, in any history", () => {
    fc.assert(
      fc.property(histories, fc.bigInt(0n, 20n), (operations, drawn) => {
        const store = new SnapshotStore()
        for (const timed of operations) store.perform([timed])
        const nowMs = operations.at(-1)?.nowMs ?? 0
        for (const id of projectIds) {
          const { account, holds } = store.of(id)
          const open = [...holds.values()].filter(({ leaseEndMs, state }) => state === "held" && leaseEndMs > nowMs)
          const drawnIn = open.reduce((sum, hold) => sum + hold.amount - undrawnOf(hold), 0n)
          const shown = balanceAt(store.of(id), null, nowMs)
          expect(shown).toEqual({ ...account, held: drawnIn, periodUsed: 0n })
          const own = balanceAt(store.of(id), null, nowMs, () => drawn)
          for (const { held } of [shown, own]) expect(held >= 0n && held <= account.held).toBe(true)
          expect(remainingOf(own) >= remainingOf({ ...account, periodUsed: 0n })).toBe(true)
        }
      }),
      { numRuns: 200 }
    )
  })

  it("charges no run twice and no more than it holds, whatever its server says", () => {
    let charges = 0
    fc.assert(
      fc.property(histories, (operations) => {
        const { store } = storeWith(reserve(20n), reserve(30n, null, escrowOf(projectId, 1, 1n)))
        for (const timed of operations) {
          const before = store.of(timed.operation.projectId)
          const [outcome] = store.perform([timed])
          if (timed.operation.kind !== "charge" || outcome?.kind !== "settled") continue
          const { escrowId, hold, report } = timed.operation
          const paidBy = before.charged.get(report.id)
          if (paidBy !== undefined) expect(paidBy).toBe(hold.holdId)
          else {
            charges += 1
            const after = store.of(hold.projectId).account
            expect(after.used - before.account.used <= hold.amount).toBe(true)
            expect(after.used - before.account.used <= (before.holds.get(escrowId)?.amount ?? -1n)).toBe(true)
          }
        }
      }),
      { numRuns: 300 }
    )
    expect(charges).toBeGreaterThan(20)
  })
})
