/** Audits of past runs: `/data-request-reports`, newest first, in pages, of the caller's project only (D11). */
import { type Audit, audit } from "../audit.ts"
import { type Check, holds, keysAre, matches, same } from "../check.ts"
import { type Answer, at, drIdOf, execute, freshInputs, send } from "./call.ts"
import { timeMsAt } from "./memberAt.ts"
import type { Target } from "./target.ts"
import { refusesParameter } from "./wireForms.ts"

const reports = (target: Target, query: Readonly<Record<string, string>>, key?: string): Promise<Answer> =>
  send(target, { path: "/data-request-reports", query, ...(key === undefined ? {} : { key }) })

const entriesOf = (answer: Answer): ReadonlyArray<unknown> => {
  const data = at(answer.json, "data")
  return Array.isArray(data) ? (data as ReadonlyArray<unknown>) : []
}

const idsOf = (answer: Answer): ReadonlyArray<unknown> => entriesOf(answer).map((entry) => at(entry, "id"))

/** Of a run or an entry: which one it is, and what was signed. */
const signedOf = (record: unknown): ReadonlyArray<unknown> => ["id", "dataResult", "signature"].map((name) => at(record, name))

interface Runs {
  readonly drId: string
  readonly ids: ReadonlyArray<unknown>
  /** Of each, what was signed. */
  readonly signed: ReadonlyArray<unknown>
}

/** Runs one request several times: what came of it, newest first. */
const runs = async (target: Target, count: number): Promise<Runs> => {
  const execInputs = freshInputs()
  const answers: Array<Answer> = []
  for (let run = 0; run < count; run += 1) answers.unshift(await execute(target, "echo", { execInputs }))
  const [newest] = answers
  return {
    drId: newest === undefined ? "" : String(drIdOf(newest)),
    ids: answers.map(({ json }) => at(json, "data", "id")),
    signed: answers.map(({ json }) => signedOf(at(json, "data")))
  }
}

const entryFields = ["id", "drId", "executedAt", "source", "exitCode", "gasUsed", "creditsUsed", "dataRequest", "dataResult", "signature"]

const showsWhatRan = audit<Target>(
  "REST-HIST-001",
  "MUST",
  "interface.md#get-data-request-reports/D11",
  "an entry has the run's result and metadata, as in the run's response",
  async (target) => {
    const run = await execute(target, "echo", { execInputs: freshInputs(), includeSummary: "1" })
    const answer = await reports(target, { drId: String(drIdOf(run)) })
    const [entry] = entriesOf(answer)
    return [
      same("status", answer.status, 200),
      keysAre("the page", answer.json, ["data", "nextPageId"]),
      keysAre("the entry", entry, entryFields),
      same("id", at(entry, "id"), at(run.json, "data", "id")),
      same("drId", at(entry, "drId"), drIdOf(run)),
      matches("executedAt", at(entry, "executedAt"), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      same("source", at(entry, "source"), "rest"),
      same("exitCode", at(entry, "exitCode"), 0),
      same("gasUsed", at(entry, "gasUsed"), at(run.json, "data", "dataResult", "gasUsed")),
      same("creditsUsed", at(entry, "creditsUsed"), at(run.json, "data", "summary", "creditsUsed")),
      same("dataRequest", at(entry, "dataRequest"), at(run.json, "data", "dataRequest")),
      same("dataResult", at(entry, "dataResult"), at(run.json, "data", "dataResult")),
      same("signature", at(entry, "signature"), at(run.json, "data", "signature")),
      same("nextPageId", at(answer.json, "nextPageId"), null)
    ]
  }
)

/** Every page from the first to the last, with new runs in between. */
const paged = async (target: Target, drId: string, amount: string): Promise<ReadonlyArray<unknown>> => {
  const seen: Array<unknown> = []
  let cursor: unknown = ""
  for (let pages = 0; typeof cursor === "string" && pages < 20; pages += 1) {
    const page = await reports(target, { drId, amount, ...(cursor === "" ? {} : { nextPageId: cursor }) })
    seen.push(...idsOf(page))
    cursor = at(page.json, "nextPageId")
  }
  return seen
}

const pagesThrough = audit<Target>(
  "REST-HIST-002",
  "MUST",
  "interface.md#get-data-request-reports/D11",
  "newest first; pages of any size show every run once, each with its own signed result; a new run between two pages does not shift them",
  async (target) => {
    const { drId, ids, signed } = await runs(target, 5)
    const first = await reports(target, { drId, amount: "2" })
    const query = { drId, nextPageId: String(at(first.json, "nextPageId")), amount: "100" }
    const inputs = String(at(entriesOf(first)[0], "dataRequest", "execInputs"))
    const newer = await execute(target, "echo", { execInputs: inputs, inputEncoding: "hex" })
    const rest = await reports(target, query)
    const all = [at(newer.json, "data", "id"), ...ids]
    return [
      same("first page", idsOf(first), ids.slice(0, 2)),
      same("the rest", idsOf(rest), ids.slice(2)),
      same("what was signed of each", [...entriesOf(first), ...entriesOf(rest)].map(signedOf), signed),
      same("pages of one", await paged(target, drId, "1"), all),
      same("pages of four", await paged(target, drId, "4"), all),
      same("one page", await paged(target, drId, "100"), all)
    ]
  }
)

const countsTo100 = audit<Target>(
  "REST-HIST-003",
  "MUST",
  "interface.md#limits",
  "amount is 25 by default, and from 1 to 100 otherwise",
  async (target) => {
    const { drId, ids } = await runs(target, 101)
    const byDefault = await reports(target, { drId })
    const most = await reports(target, { drId, amount: "100" })
    const refused = ["0", "101", "-1", "1.5", "ten", "", "1e2"].map(async (amount) =>
      refusesParameter(`"${amount}"`, await reports(target, { drId, amount }), "amount")
    )
    return [
      same("by default", idsOf(byDefault), ids.slice(0, 25)),
      holds("more follow", typeof at(byDefault.json, "nextPageId") === "string", byDefault.json),
      same("100 at once", idsOf(most), ids.slice(0, 100)),
      holds("one more follows", typeof at(most.json, "nextPageId") === "string", at(most.json, "nextPageId")),
      ...(await Promise.all(refused)).flat()
    ]
  }
)

const filtersByDate = audit<Target>(
  "REST-HIST-004",
  "MUST",
  "interface.md#get-data-request-reports/D11",
  "startDate is inclusive, endDate exclusive; a bare date is its whole UTC day",
  async (target) => {
    const { drId, ids } = await runs(target, 1)
    const [entry] = entriesOf(await reports(target, { drId }))
    const [iso, ms] = [String(at(entry, "executedAt")), timeMsAt(entry, "executedAt")]
    const day = iso.slice(0, 10)
    const cases: ReadonlyArray<readonly [Readonly<Record<string, string>>, boolean]> = [
      [{ startDate: iso }, true],
      [{ startDate: String(ms) }, true],
      [{ startDate: String(ms + 1) }, false],
      [{ endDate: iso }, false],
      [{ endDate: String(ms + 1) }, true],
      [{ startDate: day, endDate: day }, true],
      [{ startDate: iso.replace("Z", "+00:00"), endDate: new Date(ms + 1).toISOString() }, true],
      [{ endDate: new Date(ms - 86_400_000).toISOString().slice(0, 10) }, false]
    ]
    const checks = cases.map(async ([query, isIn]): Promise<Check> => {
      return same(JSON.stringify(query), idsOf(await reports(target, { drId, ...query })), isIn ? ids : [])
    })
    return Promise.all(checks)
  }
)

const refusesWrongQueries = audit<Target>(
  "REST-HIST-005",
  "MUST",
  "D11/D13",
  "a missing or malformed drId, an invalid date, an end before the start, an unknown cursor: 400, naming it",
  async (target) => {
    const { drId } = await runs(target, 2)
    const cursor = String(at((await reports(target, { drId, amount: "1" })).json, "nextPageId"))
    const other = `${drId.slice(0, -1)}${drId.endsWith("0") ? "1" : "0"}`
    const cases: ReadonlyArray<readonly [parameter: string, query: Readonly<Record<string, string>>]> = [
      ["drId", {}],
      ["drId", { drId: "12" }],
      ["startDate", { drId, startDate: "yesterday" }],
      ["startDate", { drId, startDate: "1774850103" }],
      ["endDate", { drId, endDate: "2026-02-30" }],
      ["endDate", { drId, startDate: "2026-02-02", endDate: "2026-02-01T00:00:00Z" }],
      ["endDate", { drId, startDate: "2026-02-02", endDate: "2026-02-01" }],
      ["nextPageId", { drId, nextPageId: "AAAA" }],
      ["nextPageId", { drId: other, nextPageId: cursor }]
    ]
    const checks = cases.map(async ([parameter, query]) => refusesParameter(JSON.stringify(query), await reports(target, query), parameter))
    return (await Promise.all(checks)).flat()
  }
)

const keepsProjectsApart = audit<Target>(
  "REST-HIST-006",
  "MUST",
  "D11",
  "an unknown drId is an empty page, and so is one that only another project has run",
  async (target) => {
    if (target.otherTenantKey === undefined) return { skip: "the target has no key of a second project" }
    const { drId } = await runs(target, 1)
    const theirs = await reports(target, { drId }, target.otherTenantKey)
    const unknown = await reports(target, { drId: "00".repeat(32) })
    return [theirs, unknown].flatMap((answer) => [
      same("status", answer.status, 200),
      same("body", answer.json, { data: [], nextPageId: null })
    ])
  }
)

const takesAnyForm = audit<Target>("REST-HIST-007", "MUST", "D7", "a drId is accepted with 0x and in any letter case", async (target) => {
  const { drId, ids } = await runs(target, 1)
  return [
    same("with 0x", idsOf(await reports(target, { drId: `0x${drId}` })), ids),
    same("in capitals", idsOf(await reports(target, { drId: drId.toUpperCase() })), ids)
  ]
})

const remembersFailures = audit<Target>(
  "REST-HIST-008",
  "MUST",
  "D11/D28",
  "a failed run is in the history like any other, with its exit code, its gas, its price and its signed result",
  async (target) => {
    const run = await execute(target, "failing", { execInputs: freshInputs(), includeSummary: "true" })
    const [entry] = entriesOf(await reports(target, { drId: String(drIdOf(run)) }))
    return [
      same("the run", run.status, 599),
      same("id", at(entry, "id"), at(run.json, "data", "id")),
      same("exitCode", at(entry, "exitCode"), 3),
      same("gasUsed", at(entry, "gasUsed"), at(run.json, "data", "dataResult", "gasUsed")),
      same("creditsUsed", at(entry, "creditsUsed"), at(run.json, "data", "summary", "creditsUsed")),
      same("dataResult", at(entry, "dataResult"), at(run.json, "data", "dataResult")),
      same("signature", at(entry, "signature"), at(run.json, "data", "signature"))
    ]
  }
)

const pagesWithinDates = audit<Target>(
  "REST-HIST-009",
  "MUST",
  "interface.md#get-data-request-reports/D11",
  "a range of dates holds for every page: a cursor goes on within it, and the last page of the range is the last one",
  async (target) => {
    const { drId, ids } = await runs(target, 4)
    const whole = entriesOf(await reports(target, { drId }))
    // The newest of those to find, and where the oldest begins: two in the middle, if each has a millisecond of its own.
    const [endDate, startDate] = [String(at(whole[0], "executedAt")), String(at(whole[2], "executedAt"))]
    const within = whole.filter((entry) => String(at(entry, "executedAt")) >= startDate && String(at(entry, "executedAt")) < endDate)
    const wanted = within.map((entry) => at(entry, "id"))
    const seen: Array<unknown> = []
    let nextPageId: unknown
    for (let pages = 0; pages < 6 && nextPageId !== null; pages += 1) {
      const cursor = typeof nextPageId === "string" ? { nextPageId } : {}
      const page = await reports(target, { drId, startDate, endDate, amount: "1", ...cursor })
      seen.push(...idsOf(page))
      nextPageId = at(page.json, "nextPageId")
    }
    return [
      same("all runs", whole.length, ids.length),
      same("within the dates", seen, wanted),
      same("after the last page", nextPageId, null)
    ]
  }
)

/** The history of a data request. */
export const historyAudits: ReadonlyArray<Audit<Target>> = [
  showsWhatRan,
  pagesThrough,
  countsTo100,
  filtersByDate,
  refusesWrongQueries,
  keepsProjectsApart,
  takesAnyForm,
  remembersFailures,
  pagesWithinDates
]
