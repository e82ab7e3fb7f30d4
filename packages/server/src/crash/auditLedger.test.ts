/** The ledger audit passes a consistent ledger and finds every fault that is put into one. */
import { describe, expect, it } from "vitest"
import type { LedgerTables, StoredReport } from "./testdata/ledgerTables.ts"
import { auditLedger, type JournalLine } from "@sibyl/sql"
import { heldAt, unresolved } from "./testdata/openHolds.ts"
import { answerFaults, type ReceivedAnswers } from "./testdata/receivedAnswers.ts"
import { seededRandom } from "./testdata/seededRandom.ts"

const line = (entry: number, kind: JournalLine["kind"], credits: bigint, holdId: string | null = null): JournalLine => ({
  entry,
  kind,
  credits,
  holdId
})

const report = (entry: number, total: bigint): StoredReport => ({
  entry,
  total,
  id: `run ${entry}`,
  drId: "request",
  timestamp: BigInt(entry),
  inputs: `inputs ${entry}`
})

const hold = (holdId: string, state: LedgerTables["holds"][number]["state"]) => ({
  holdId,
  state,
  amount: 10n,
  leaseEndMs: 500,
  drawn: null
})

/** A grant; one hold posted, one voided, one expired, one open; an escrow that was extended, has paid for a run and has given back a part. */
const consistent: LedgerTables = {
  projectId: "p",
  journal: [
    line(1, "grant", 100n),
    line(2, "hold", 10n, "a"),
    line(3, "hold", 10n, "b"),
    line(4, "post", 7n, "a"),
    line(5, "void", 10n, "b"),
    line(6, "hold", 10n, "c"),
    line(7, "expire", 10n, "c"),
    line(8, "hold", 10n, "d"),
    line(9, "hold", 20n, "e"),
    line(10, "extend", 5n, "e"),
    line(11, "charge", 6n, "e"),
    line(12, "release", 9n, "e")
  ],
  account: { granted: 100n, used: 13n, held: 20n, lastEntry: 12 },
  holds: [hold("a", "posted"), hold("b", "voided"), hold("c", "voided"), hold("d", "held"), { ...hold("e", "held"), drawn: 4n }],
  reports: [report(4, 7n), report(11, 6n)],
  unanswered: []
}

const withLine = (at: number, changed: Partial<JournalLine>): LedgerTables => ({
  ...consistent,
  journal: consistent.journal.map((old, index) => (index === at ? { ...old, ...changed } : old))
})

const faulty: ReadonlyArray<readonly [fault: string, ledger: LedgerTables]> = [
  ["a missing journal line", { ...consistent, journal: consistent.journal.slice(0, -1) }],
  ["a gap", withLine(7, { entry: 99 })],
  ["a grant that the account does not include", withLine(0, { credits: 101n })],
  ["an overdrawn balance", { ...withLine(0, { credits: 32n }), account: { ...consistent.account, granted: 32n } }],
  [
    "a post above its hold",
    {
      ...withLine(3, { credits: 11n }),
      account: { ...consistent.account, used: 17n },
      reports: [report(4, 11n), report(11, 6n)]
    }
  ],
  [
    "a charge above its escrow",
    {
      ...withLine(10, { credits: 26n }),
      account: { ...consistent.account, used: 33n, held: 0n },
      reports: [report(4, 7n), report(11, 26n)]
    }
  ],
  ["a release that the account does not include", withLine(11, { credits: 8n })],
  ["a void that returns more than is left", withLine(4, { credits: 11n })],
  ["a hold posted and voided", withLine(4, { holdId: "a" })],
  ["a post without a hold", withLine(3, { holdId: "x" })],
  ["a charge without its report", { ...consistent, reports: [] }],
  ["a report without its charge", { ...consistent, reports: [...consistent.reports, report(5, 10n)] }],
  ["a report with another price than its charge", { ...consistent, reports: [report(4, 8n), report(11, 6n)] }],
  ["a wrong sum of charges", { ...consistent, account: { ...consistent.account, used: 14n } }],
  ["a wrong sum of holds", { ...consistent, account: { ...consistent.account, held: 0n } }],
  ["a wrong last entry", { ...consistent, account: { ...consistent.account, lastEntry: 11 } }],
  ["a hold missing from the table", { ...consistent, holds: consistent.holds.slice(0, -1) }],
  ["a hold missing from the journal", { ...consistent, holds: [...consistent.holds, hold("f", "held")] }],
  ["two reports with one id", { ...consistent, reports: [report(4, 7n), { ...report(11, 6n), id: "run 4" }] }],
  ["two results of a request with one timestamp", { ...consistent, reports: [report(4, 7n), { ...report(11, 6n), timestamp: 4n }] }],
  ["a charged run whose answer is not kept", { ...consistent, unanswered: ["run 4"] }]
]

const received = (told: Partial<ReceivedAnswers>): ReceivedAnswers => ({ answered: new Map(), keyed: new Set(), fed: new Set(), ...told })

describe("the ledger audit", () => {
  it("passes a consistent ledger", () => expect(auditLedger(consistent)).toEqual([]))

  it.each(faulty)("finds %s", (_, ledger) => expect(auditLedger(ledger)).not.toEqual([]))

  it("finds holds that are still open after their lease", () => {
    expect(unresolved(consistent, 499)).toEqual([])
    expect(unresolved(consistent, 500)).toHaveLength(2)
    // Of an escrow, what is drawn.
    expect([heldAt(consistent, 499), heldAt(consistent, 500)]).toEqual([14n, 0n])
  })
})

describe("the audit of received answers", () => {
  it("passes answers that the ledger has", () => {
    const answered = new Map([["inputs 4", new Set(["run 4"])]])
    const told = received({ answered, keyed: new Set(["inputs 4", "never ran"]), fed: new Set(["run 4"]) })
    expect(answerFaults(consistent, told)).toEqual([])
  })

  it.each([
    ["a lost answer", consistent, { answered: new Map([["inputs 5", new Set(["run 5"])]]) }],
    ["an answer to another request", consistent, { answered: new Map([["inputs 5", new Set(["run 4"])]]) }],
    ["two runs of one request", consistent, { answered: new Map([["inputs 4", new Set(["run 4", "run 5"])]]) }],
    ["a lost result of a feed", consistent, { fed: new Set(["run 5"]) }],
    [
      "an idempotency key that ran twice",
      { ...consistent, reports: [report(4, 7n), { ...report(5, 7n), inputs: "inputs 4" }] },
      {
        keyed: new Set(["inputs 4"])
      }
    ]
  ] satisfies ReadonlyArray<readonly [string, LedgerTables, Partial<ReceivedAnswers>]>)("finds %s", (_, ledger, told) =>
    expect(answerFaults(ledger, received(told))).not.toEqual([])
  )
})

it("random numbers are the same for the same seed and differ between seeds", () => {
  const draw = (seed: number) => Array.from({ length: 20 }, seededRandom(seed).bind(undefined, 1_000))
  expect(draw(7)).toEqual(draw(7))
  expect(draw(7)).not.toEqual(draw(8))
  expect(new Set(draw(0)).size).toBeGreaterThan(10)
})
