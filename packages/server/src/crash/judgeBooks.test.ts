/** The judge of the books is judged: sound books pass, and every fault that is put into them is found. */
import { describe, expect, it } from "vitest"
import type { Books, JournalLine, KeptReport } from "./testdata/books.ts"
import { heldAt, judgeBooks, unresolved } from "./testdata/judgeBooks.ts"
import { brokenPromises, type Promises } from "./testdata/promises.ts"
import { seededRandom } from "./testdata/seededRandom.ts"

const line = (entry: number, kind: JournalLine["kind"], credits: bigint, holdId: string | null = null): JournalLine => ({
  entry,
  kind,
  credits,
  holdId
})

const report = (entry: number, total: bigint): KeptReport => ({
  entry,
  total,
  id: `run ${entry}`,
  drId: "request",
  timestamp: BigInt(entry),
  inputs: `inputs ${entry}`
})

const hold = (holdId: string, state: Books["holds"][number]["state"]) => ({ holdId, state, amount: 10n, leaseEndMs: 500 })

/** A grant; one hold posted, one voided, one expired, one open. */
const sound: Books = {
  projectId: "p",
  journal: [
    line(1, "grant", 100n),
    line(2, "hold", 10n, "a"),
    line(3, "hold", 10n, "b"),
    line(4, "post", 7n, "a"),
    line(5, "void", 10n, "b"),
    line(6, "hold", 10n, "c"),
    line(7, "expire", 10n, "c"),
    line(8, "hold", 10n, "d")
  ],
  account: { granted: 100n, used: 7n, held: 10n, lastEntry: 8 },
  holds: [hold("a", "posted"), hold("b", "voided"), hold("c", "voided"), hold("d", "held")],
  reports: [report(4, 7n)]
}

const withLine = (at: number, changed: Partial<JournalLine>): Books => ({
  ...sound,
  journal: sound.journal.map((old, index) => (index === at ? { ...old, ...changed } : old))
})

const faulty: ReadonlyArray<readonly [fault: string, books: Books]> = [
  ["a line that is gone", { ...sound, journal: sound.journal.slice(0, -1) }],
  ["a gap", withLine(7, { entry: 9 })],
  ["a grant that nobody counted", withLine(0, { credits: 101n })],
  ["an overdrawn balance", { ...withLine(0, { credits: 12n }), account: { ...sound.account, granted: 12n } }],
  [
    "a post above its hold",
    {
      ...withLine(3, { credits: 11n }),
      account: { ...sound.account, used: 11n },
      reports: [report(4, 11n)]
    }
  ],
  ["a hold posted and voided", withLine(4, { holdId: "a" })],
  ["a post without a hold", withLine(3, { holdId: "x" })],
  ["a charge without its report", { ...sound, reports: [] }],
  ["a report without its charge", { ...sound, reports: [...sound.reports, report(5, 10n)] }],
  ["a report of another price", { ...sound, reports: [report(4, 8n)] }],
  ["a wrong use", { ...sound, account: { ...sound.account, used: 8n } }],
  ["a wrong sum of holds", { ...sound, account: { ...sound.account, held: 0n } }],
  ["a wrong count of lines", { ...sound, account: { ...sound.account, lastEntry: 7 } }],
  ["a hold that the table forgot", { ...sound, holds: sound.holds.slice(0, -1) }],
  ["a hold that only the table has", { ...sound, holds: [...sound.holds, hold("e", "held")] }],
  ["an id given twice", { ...sound, reports: [report(4, 7n), report(4, 7n)] }],
  ["a timestamp given twice", { ...sound, reports: [report(4, 7n), { ...report(4, 7n), id: "other" }] }]
]

const promises = (told: Partial<Promises>): Promises => ({ answered: new Map(), keyed: new Set(), fed: new Set(), ...told })

describe("the judge of books", () => {
  it("passes sound books", () => expect(judgeBooks(sound)).toEqual([]))

  it.each(faulty)("finds %s", (_, books) => expect(judgeBooks(books)).not.toEqual([]))

  it("finds holds that are open after their lease", () => {
    expect(unresolved(sound, 499)).toEqual([])
    expect(unresolved(sound, 500)).toHaveLength(1)
    expect([heldAt(sound, 499), heldAt(sound, 500)]).toEqual([10n, 0n])
  })
})

describe("the judge of promises", () => {
  it("passes what is kept", () => {
    const answered = new Map([["inputs 4", new Set(["run 4"])]])
    const told = promises({ answered, keyed: new Set(["inputs 4", "never ran"]), fed: new Set(["run 4"]) })
    expect(brokenPromises(sound, told)).toEqual([])
  })

  it.each([
    ["an answer that is lost", sound, { answered: new Map([["inputs 5", new Set(["run 5"])]]) }],
    ["an answer to another request", sound, { answered: new Map([["inputs 5", new Set(["run 4"])]]) }],
    ["two runs under one answer", sound, { answered: new Map([["inputs 4", new Set(["run 4", "run 5"])]]) }],
    ["a result of a feed that is lost", sound, { fed: new Set(["run 5"]) }],
    [
      "a key that ran twice",
      { ...sound, reports: [report(4, 7n), { ...report(5, 7n), inputs: "inputs 4" }] },
      {
        keyed: new Set(["inputs 4"])
      }
    ]
  ] satisfies ReadonlyArray<readonly [string, Books, Partial<Promises>]>)("finds %s", (_, books, told) =>
    expect(brokenPromises(books, promises(told))).not.toEqual([])
  )
})

it("chance repeats with its seed and differs without", () => {
  const draw = (seed: number) => Array.from({ length: 20 }, seededRandom(seed).bind(undefined, 1_000))
  expect(draw(7)).toEqual(draw(7))
  expect(draw(7)).not.toEqual(draw(8))
  expect(new Set(draw(0)).size).toBeGreaterThan(10)
})
