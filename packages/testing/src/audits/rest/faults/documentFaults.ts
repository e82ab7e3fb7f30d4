/** Faults in what a service says of itself, each with the audit that must detect it (D20). */
import {
  edited,
  editedAt,
  type Members,
  type RestFault,
  rewritten,
  withHeader,
  withStatus,
  withStatusAt,
  withoutHeader
} from "./restFault.ts"

type Answering = NonNullable<RestFault["answer"]>

/** Changes the OpenAPI document only. */
const inDocument = (change: (document: Members) => void): Answering =>
  edited((json) => {
    if ("openapi" in json) change(json)
  })

const pathsOf = (document: Members): Record<string, Record<string, Members>> => document["paths"] as Record<string, Record<string, Members>>

/** Takes the request id from the refusals of this status on paths that match. */
const unnamed = (status: number, path: RegExp): Answering => {
  const change = edited((json) => delete json["requestId"])
  return (passing, url) => (passing.status === status && path.test(url.pathname) ? change(passing, url) : passing)
}

/** The faults. */
export const documentFaults: ReadonlyArray<RestFault> = [
  {
    name: "an endpoint that nobody is told of",
    foundBy: "REST-DOCS-003",
    answer: inDocument((document) => delete pathsOf(document)["/data-request-reports"])
  },
  {
    name: "no key needed, it says",
    foundBy: "REST-DOCS-003",
    answer: inDocument((document) => delete pathsOf(document)["/project"]?.["get"]?.["security"])
  },
  {
    name: "credits of summaries as numbers",
    foundBy: "REST-DOCS-004",
    answer: editedAt(["data", "summary"], (summary) => (summary["creditsUsed"] = Number(summary["creditsUsed"])))
  },
  {
    name: "failures without a text",
    foundBy: "REST-DOCS-004",
    answer: edited((json) => {
      if (json["_tag"] === "FailedExecutionResponse") delete json["error"]
    })
  },
  { name: "refusals without a request id", foundBy: "REST-DOCS-005", answer: edited((json) => delete json["requestId"]) },
  { name: "403 without a request id", foundBy: "REST-DOCS-005", answer: unnamed(403, /\/execute$/) },
  { name: "429 without a request id", foundBy: "REST-DOCS-005", answer: unnamed(429, /\/execute$/) },
  { name: "feeds not found without a request id", foundBy: "REST-DOCS-005", answer: unnamed(404, /\/feeds\//) },
  { name: "recordings not found without a request id", foundBy: "REST-DOCS-005", answer: unnamed(404, /\/recording$/) },
  { name: "last failures as successes", foundBy: "REST-DOCS-004", answer: withStatusAt("/last-result", 599, 200) },
  { name: "a status of its own", foundBy: "REST-DOCS-005", answer: withStatus(422, 409) },
  {
    name: "the time of the service as a text",
    foundBy: "REST-DOCS-006",
    answer: edited((json) => (json["uptimeMs"] = String(json["uptimeMs"])))
  },
  {
    name: "held credits as a number",
    foundBy: "REST-DOCS-006",
    answer: editedAt(["credits"], (credits) => (credits["held"] = 0))
  },
  { name: "tickets by a status of their own", foundBy: "REST-DOCS-006", answer: withStatusAt("/tickets", 201, 200) },
  {
    name: "an example that is refused",
    foundBy: "REST-DOCS-007",
    answer: inDocument((document) => {
      const body = pathsOf(document)["/execute"]?.["post"]?.["requestBody"] as { content: Record<string, Members> } | undefined
      if (body?.content["application/json"] !== undefined) body.content["application/json"]["example"] = { execProgramId: "12" }
    })
  },
  {
    name: "no example of the history",
    foundBy: "REST-DOCS-007",
    answer: inDocument((document) => {
      const parameters = pathsOf(document)["/data-request-reports"]?.["get"]?.["parameters"]
      for (const parameter of (parameters ?? []) as Array<Members>) delete parameter["example"]
    })
  },
  { name: "documents without an ETag", foundBy: "REST-DOCS-008", answer: withoutHeader("etag") },
  { name: "the unchanged is sent again", foundBy: "REST-DOCS-008", answer: withStatus(304, 200) },
  { name: "one ETag for everything", foundBy: "REST-DOCS-008", answer: withHeader("etag", '"another"') },
  { name: "another address of the WebSocket", foundBy: "REST-DOCS-009", answer: rewritten((text) => text.replaceAll("/ws/v1", "/socket")) },
  { name: "an undocumented notification", foundBy: "REST-DOCS-009", answer: editedAt(["operations"], (each) => delete each["feed.result"]) }
]
