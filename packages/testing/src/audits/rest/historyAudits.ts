/** Audits of past runs: `/data-request-reports`, newest first, in pages, of the caller's project only (D11); and the recordings of runs. */
import { readRecording } from "@sibyl/core"
import { Either } from "effect"
import { type Audit, audit, type Findings } from "../audit.ts"
import { type Check, holds, keysAre, matches, same } from "../check.ts"
import { type Answer, at, drIdOf, execute, freshInputs, send } from "./call.ts"
import type { Target } from "./target.ts"
import { id64, isError, refusesParameter, succeeds } from "./wireForms.ts"

const reports = (target: Target, query: Readonly<Record<string, string>>, key?: string): Promise<Answer> =>
  send(target, { path: "/data-request-reports", query, ...(key === undefined ? {} : { key }) })

const entriesOf = (answer: Answer): ReadonlyArray<unknown> => {
  const data = at(answer.json, "data")
  return Array.isArray(data) ? (data as ReadonlyArray<unknown>) : []
}

const idsOf = (answer: Answer): ReadonlyArray<unknown> => entriesOf(answer).map((entry) => at(entry, "id"))

/** Runs one request several times: its drId and the ids, newest first. */
const runs = async (target: Target, count: number): Promise<{ readonly drId: string; readonly ids: Array<unknown> }> => {
  const execInputs = freshInputs()
  const ids: Array<unknown> = []
  let drId = ""
  for (let run = 0; run < count; run += 1) {
    const answer = await execute(target, "echo", { execInputs })
    drId = String(drIdOf(answer))
    ids.unshift(at(answer.json, "data", "id"))
  }
  return { drId, ids }
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
  "newest first; pages of any size show every run once; a new run between two pages does not shift them",
  async (target) => {
    const { drId, ids } = await runs(target, 5)
    const first = await reports(target, { drId, amount: "2" })
    const query = { drId, nextPageId: String(at(first.json, "nextPageId")), amount: "100" }
    const inputs = String(at(entriesOf(first)[0], "dataRequest", "execInputs"))
    const newer = await execute(target, "echo", { execInputs: inputs, inputEncoding: "hex" })
    const rest = await reports(target, query)
    const all = [at(newer.json, "data", "id"), ...ids]
    return [
      same("first page", idsOf(first), ids.slice(0, 2)),
      same("the rest", idsOf(rest), ids.slice(2)),
      same("pages of one", await paged(target, drId, "1"), all),
      same("pages of four", await paged(target, drId, "4"), all),
      same("one page", await paged(target, drId, "100"), all)
    ]
  }
)

const countsTo25 = audit<Target>(
  "REST-HIST-003",
  "MUST",
  "interface.md#limits",
  "amount is 25 by default, and from 1 to 100 otherwise",
  async (target) => {
    const { drId, ids } = await runs(target, 26)
    const byDefault = await reports(target, { drId })
    const refused = ["0", "101", "-1", "1.5", "ten", "", "1e2"].map(async (amount) =>
      refusesParameter(`"${amount}"`, await reports(target, { drId, amount }), "amount")
    )
    return [
      same("by default", idsOf(byDefault), ids.slice(0, 25)),
      holds("more follow", typeof at(byDefault.json, "nextPageId") === "string", byDefault.json),
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
    const iso = String(at(entriesOf(await reports(target, { drId }))[0], "executedAt"))
    const ms = Date.parse(iso)
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

const recordingOf = (target: Target, run: Answer, key?: string): Promise<Answer> =>
  send(target, { path: `/executions/${String(at(run.json, "data", "id"))}/recording`, ...(key === undefined ? {} : { key }) })

const ofRecordings = (id: string, title: string, body: (target: Target) => Promise<Findings>): Audit<Target> =>
  audit<Target>(id, "MUST", "Recordings", title, async (target) =>
    target.hasRecordings === true ? body(target) : { skip: "the service keeps no recordings" }
  )

/** The recording's own words for bytes. */
const base64Of = (hex: unknown): string => Buffer.from(String(hex), "hex").toString("base64")

const partsWithDigests = [
  "run",
  "dataRequest",
  "dataResult",
  "signature",
  "execute",
  "tally",
  "source",
  "execTapes",
  "tallyTape",
  "programs"
]

/** The recording is whole, and signed by a key that the service names; only compact JSON has its digests. */
const isSignedBy = (recording: unknown, { json: info }: Answer): ReadonlyArray<Check> => {
  const read = readRecording(JSON.stringify(recording))
  if (Either.isLeft(read)) return [same("the recording is whole", `${read.left.part} ${read.left.message}`, "")]
  const listed = at(info, "keys")
  const keys = [at(info, "publicKey"), ...(Array.isArray(listed) ? listed.map((key: unknown) => at(key, "publicKey")) : [])]
  return [holds("a key of the service has signed the recording", keys.includes(read.right.attestation?.signer), read.right.attestation)]
}

const keepsRecordings = ofRecordings(
  "REST-RECORD-001",
  "a run with includeRecording has a recording of that run: request, signed result, programs, tapes, a digest of each part, and the service's signature",
  async (target) => {
    const run = await execute(target, "echo", { execInputs: freshInputs(), includeRecording: "true" })
    const answer = await recordingOf(target, run)
    const { json } = answer
    const digests = at(json, "digests")
    return [
      ...succeeds("the run", run),
      same("kept", at(run.json, "data", "recording", "kept"), true),
      same("status", answer.status, 200),
      keysAre("the recording", json, ["format", "version", ...partsWithDigests, "digests", "attestation"]),
      ...isSignedBy(json, await send(target, { path: "/info" })),
      same("format", at(json, "format"), "sibyl-recording"),
      same("run", at(json, "run", "id"), at(run.json, "data", "id")),
      same("drId", at(json, "dataResult", "drId"), drIdOf(run)),
      same("inputs", at(json, "dataRequest", "execInputs"), base64Of(at(run.json, "data", "dataRequest", "execInputs"))),
      same("result", at(json, "dataResult", "result"), base64Of(at(run.json, "data", "dataResult", "result"))),
      same("signature", at(json, "signature"), at(run.json, "data", "signature")),
      matches("the program", at(json, "programs", target.programs.echo), /^AGFzbQ/),
      keysAre("digests", digests, partsWithDigests),
      ...partsWithDigests.map((part) => matches(`the digest of ${part}`, at(digests, part), id64))
    ]
  }
)

const recordsOnRequest = ofRecordings(
  "REST-RECORD-002",
  "a run that was not to be recorded has no recording, nor has one that never was: 404 RecordingNotFound",
  async (target) => {
    const run = await execute(target, "echo", { execInputs: freshInputs() })
    const never = { ...run, json: { data: { id: "00000000-0000-4000-8000-000000000000" } } }
    return [
      same("not named", at(run.json, "data", "recording"), undefined),
      ...isError("not recorded", await recordingOf(target, run), 404, "RecordingNotFound"),
      ...isError("never run", await recordingOf(target, never), 404, "RecordingNotFound")
    ]
  }
)

const keepsRecordingsApart = ofRecordings("REST-RECORD-003", "another project's run has no recording for this one", async (target) => {
  if (target.otherTenantKey === undefined) return { skip: "the target has no key of a second project" }
  const run = await execute(target, "echo", { execInputs: freshInputs(), includeRecording: "true" })
  return isError("theirs", await recordingOf(target, run, target.otherTenantKey), 404, "RecordingNotFound")
})

/** The history of a data request, and recordings. */
export const historyAudits: ReadonlyArray<Audit<Target>> = [
  showsWhatRan,
  pagesThrough,
  countsTo25,
  filtersByDate,
  refusesWrongQueries,
  keepsProjectsApart,
  takesAnyForm,
  keepsRecordings,
  recordsOnRequest,
  keepsRecordingsApart
]
