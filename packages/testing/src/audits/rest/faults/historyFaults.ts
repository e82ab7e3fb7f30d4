/** Faults of last results and of the history, each with the audit that must detect it. */
import {
  bodyEdited,
  data,
  dataResult,
  edited,
  editedAt,
  type Members,
  type RestFault,
  withHeader,
  withParameter,
  withStatus,
  withStatusAt
} from "./restFault.ts"

const withQuery =
  (path: string, change: (parameters: URLSearchParams) => void): NonNullable<RestFault["request"]> =>
  (url) => {
    if (url.pathname.endsWith(path)) change(url.searchParams)
  }

type Answering = NonNullable<RestFault["answer"]>

const stored = "/execute/last-result"
const history = "/data-request-reports"

const onHistory = (change: (page: { data: Array<Members>; nextPageId: unknown }) => void): Answering =>
  edited((json, url) => {
    if (url.pathname.endsWith(history) && Array.isArray(json["data"])) change(json as Parameters<typeof change>[0])
  })

const onRecording = (change: (recording: Members) => void): Answering =>
  edited((json, url) => {
    if (url.pathname.endsWith("/recording") && "format" in json) change(json)
  })

/** The faults. */
export const historyFaults: ReadonlyArray<RestFault> = [
  {
    name: "the stored result is signed again",
    foundBy: "REST-STORED-001",
    answer: edited((json, url) => {
      if (url.pathname.endsWith(stored)) (json["data"] as Members)["signature"] = "00".repeat(65)
    })
  },
  { name: "nothing stored is no error", foundBy: "REST-STORED-002", answer: withStatus(404, 200) },
  { name: "mode ignored", foundBy: "REST-STORED-003", request: withQuery(stored, (query) => query.delete("mode")) },
  { name: "any mode is accepted", foundBy: "REST-STORED-004", answer: withStatus(400, 404) },
  {
    name: "shown as in the original request",
    foundBy: "REST-STORED-005",
    request: withQuery(stored, (query) => query.delete("encoding"))
  },
  { name: "everybody's results", foundBy: "REST-STORED-006", answer: withStatus(404, 200) },
  { name: "the allow-list ignored", foundBy: "REST-STORED-007", answer: withStatus(400, 404) },
  {
    name: "modes of bodies ignored",
    foundBy: "REST-STORED-008",
    body: bodyEdited((members) => delete members["mode"])
  },
  {
    name: "base64 taken for text",
    foundBy: "REST-STORED-009",
    request: withQuery(stored, (query) => (query.get("inputEncoding") === "base64" ? query.delete("inputEncoding") : undefined))
  },
  {
    name: "one result for all tallies",
    foundBy: "REST-STORED-010",
    request: withQuery(stored, (query) => query.delete("tallyProgramId"))
  },
  {
    name: "wrong flags for stored results",
    foundBy: "REST-STORED-011",
    request: withQuery(stored, (query) => query.delete("includeDebugInfo"))
  },
  { name: "stored failures are 200", foundBy: "REST-STORED-003", answer: withStatus(599, 200) },
  { name: "no cache header", foundBy: "REST-STORED-001", answer: withHeader("x-sibyl-cache", "miss") },
  {
    name: "one result for a whole page",
    foundBy: "REST-HIST-002",
    answer: onHistory(({ data: entries }) => {
      for (const entry of entries) entry["dataResult"] = entries[0]?.["dataResult"]
    })
  },
  {
    name: "the result of another run",
    foundBy: "REST-HIST-001",
    answer: editedAt(dataResult, (members) => (members["gasUsed"] = "1"))
  },
  {
    name: "an id of its own",
    foundBy: "REST-HIST-001",
    answer: editedAt(data, (members) => (members["id"] = "00000000-0000-4000-8000-000000000000"))
  },
  { name: "oldest first", foundBy: "REST-HIST-002", answer: onHistory((page) => void page.data.reverse()) },
  { name: "every page is the last", foundBy: "REST-HIST-002", answer: onHistory((page) => (page.nextPageId = null)) },
  {
    name: "pages by number, not by position",
    foundBy: "REST-HIST-002",
    request: withQuery(history, (query) => query.delete("nextPageId"))
  },
  { name: "any amount", foundBy: "REST-HIST-003", request: withQuery(history, (query) => query.delete("amount")) },
  {
    name: "fifty at once at most",
    foundBy: "REST-HIST-003",
    request: withQuery(history, (query) => (query.get("amount") === "100" ? query.set("amount", "50") : undefined))
  },
  {
    name: "ten by default",
    foundBy: "REST-HIST-003",
    request: withQuery(history, (query) => (query.has("amount") ? undefined : query.set("amount", "10")))
  },
  {
    name: "the start is exclusive",
    foundBy: "REST-HIST-004",
    request: withQuery(history, (query) => {
      const start = query.get("startDate") ?? ""
      if (/^\d+$/.test(start)) query.set("startDate", String(Number(start) + 1))
    })
  },
  {
    name: "the end is inclusive",
    foundBy: "REST-HIST-004",
    request: withQuery(history, (query) => {
      const ms = Date.parse(query.get("endDate") ?? "")
      if (!Number.isNaN(ms)) query.set("endDate", String(ms + 1))
    })
  },
  { name: "wrong dates ignored", foundBy: "REST-HIST-005", answer: withStatus(400, 200) },
  {
    name: "any cursor is the beginning",
    foundBy: "REST-HIST-005",
    request: withQuery(history, (query) => query.delete("nextPageId"))
  },
  {
    name: "an unknown drId is not found",
    foundBy: "REST-HIST-006",
    answer: (passing, url) =>
      url.pathname.endsWith(history) && passing.text.startsWith('{"data":[]') ? { ...passing, status: 404 } : passing
  },
  {
    name: "drIds in lowercase only",
    foundBy: "REST-HIST-007",
    request: withQuery(history, (query) => {
      if (/[A-F]/.test(query.get("drId") ?? "")) query.set("drId", "00".repeat(32))
    })
  },
  {
    name: "successes only",
    foundBy: "REST-HIST-008",
    answer: onHistory((page) => (page.data = page.data.filter((entry) => entry["exitCode"] === 0)))
  },
  {
    name: "failures for nothing",
    foundBy: "REST-HIST-008",
    answer: onHistory((page) => {
      for (const entry of page.data) if (entry["exitCode"] !== 0) entry["creditsUsed"] = "0"
    })
  },
  {
    name: "dates of the first page only",
    foundBy: "REST-HIST-009",
    request: withQuery(history, (query) => (query.has("nextPageId") ? query.delete("startDate") : undefined))
  },
  { name: "recordings that are not kept", foundBy: "REST-RECORD-001", request: withParameter("includeRecording", undefined) },
  {
    name: "recordings of other results",
    foundBy: "REST-RECORD-001",
    answer: onRecording((recording) => ((recording["dataResult"] as Members)["result"] = "AAAA"))
  },
  {
    name: "recordings that nobody has signed so",
    foundBy: "REST-RECORD-001",
    answer: onRecording((recording) => ((recording["attestation"] as Members)["signedAtMs"] = 1))
  },
  { name: "recordings without digests", foundBy: "REST-RECORD-001", answer: onRecording((recording) => delete recording["digests"]) },
  { name: "recordings that cannot be found are empty", foundBy: "REST-RECORD-002", answer: withStatusAt("/recording", 404, 200) },
  { name: "every run recorded", foundBy: "REST-RECORD-002", request: withParameter("includeRecording", "true") },
  { name: "everybody's recordings", foundBy: "REST-RECORD-003", answer: withStatusAt("/recording", 404, 403) }
]
