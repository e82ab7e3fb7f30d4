/** Clauses about the REST endpoints, their parameters, who may call them, their errors and limits. */
import type { ClauseSection } from "./clause.ts"
import { shownIn } from "./shownIn.ts"

/** `/execute`, by both methods. */
export const executeClauses: ClauseSection = {
  title: "GET and POST /execute",
  clauses: [
    ["`execProgramId`, hex, required", "REST-PARAM-007"],
    ["`execInputs`, hex or text", "REST-INPUT-001", "REST-EXEC-007"],
    ["`tallyInputs`, hex or text", "REST-INPUT-001", "REST-EXEC-007"],
    ["`tallyProgramId`, by default `execProgramId`", "REST-EXEC-008"],
    ["`inputEncoding`: `auto` by default, `hex`, `utf8`, `base64`", "REST-INPUT-002", "REST-INPUT-004"],
    ["`auto`: hex behind 0x, else UTF-8", "REST-INPUT-001"],
    ["`hex`: always hex, 0x stripped", "REST-INPUT-001"],
    ["`utf8`: always text, even behind 0x", "REST-INPUT-001"],
    ["`base64`: decoded", "REST-INPUT-001", "REST-INPUT-003"],
    ["`returnLastResult`, a flag: a stored result instead of a run", "REST-LAST-001", "REST-LAST-002"],
    ["`includeSummary`, a flag: credit usage", "REST-SHOW-006"],
    ["`includeDebugInfo`, a flag: stdout and stderr", "REST-SHOW-004", "REST-FAIL-002"],
    ["`encoding`: `hex`, `base64`, `utf8`, `json`", "REST-SHOW-001", "REST-SHOW-002", "REST-SHOW-003"],
    ["200 on success, with the execute response", "REST-EXEC-001"],
    ["599 when the program exits with another code than 0", "REST-FAIL-001", "REST-FAIL-003"],
    [
      "A failed or timed out HTTP request of a program is a common cause of 599",
      shownIn.upstreamFaults, shownIn.vmRuntime
    ],
    [
      "POST: a JSON body with `execProgramId`, `execInputs`, `tallyProgramId`, `tallyInputs`",
      "REST-PARAM-004", "REST-EXEC-006"
    ],
    ["POST: `execInputs` may be an object or a list", "REST-INPUT-006", "REST-INPUT-009"],
    ["POST: the flags and `encoding` in the query", "REST-PARAM-004"],
    ["POST answers as GET does; one request has one drId", "REST-EXEC-006", shownIn.sameRequest, shownIn.sameDrId]
  ]
}

/** Every other endpoint. */
export const endpointClauses: ClauseSection = {
  title: "Other endpoints",
  clauses: [
    ["`/execute/last-result`: GET and POST with the parameters of `/execute`", "REST-STORED-001"],
    ["`/execute/last-result`: `mode` is `success` or `last`, by default `last`", "REST-STORED-003", "REST-STORED-004"],
    ["`/execute/last-result`: answers the last stored result", "REST-STORED-001", "REST-STORED-005"],
    [
      "`/project`: credits, usage limits, gas limits, allow-list; no parameters",
      "REST-PROJECT-001", "REST-PROJECT-002"
    ],
    ["`/data-request-reports`: `drId`, required", "REST-HIST-005", "REST-HIST-007"],
    ["`/data-request-reports`: `startDate` and `endDate`", "REST-HIST-004", shownIn.dateRange],
    ["`/data-request-reports`: `amount`, 1 to 100, by default 25", "REST-HIST-003"],
    ["`/data-request-reports`: `nextPageId` of a call before", "REST-HIST-002", shownIn.reportCursor],
    ["`/data-request-reports`: a list by pages, with results and metadata", "REST-HIST-001", "REST-HIST-002"],
    ["`/info`: public key and API version; no key needed", "REST-INFO-001"],
    ["`/health`: the service's status; no key needed", "REST-HEALTH-001"],
    ["`/data-proxy/{public_key}`: the record of a key in hex", "REST-PROXY-001", "REST-PROXY-002", "REST-PROXY-003"],
    [
      "`/programs`: the names of programs, which stand for ids in every request (ours)",
      "REST-NAME-001", "REST-NAME-002", "REST-NAME-003", shownIn.programNames
    ],
    ["`/verify`: the verify record; no parameters", "REST-VERIFY-001"],
    ["The endpoints are these, by these methods, and no others", shownIn.openApi, "REST-ERROR-008", "REST-PROXY-004"],
    [
      "Every answer is one that the OpenAPI document has, and every one that it has is given",
      shownIn.documentedAnswers, shownIn.hostileRequests
    ]
  ]
}

/** Keys and who needs one. */
export const authenticationClauses: ClauseSection = {
  title: "Authentication",
  clauses: [
    ["REST carries `Authorization: Bearer <key>`", "REST-ERROR-002", "REST-ERROR-003"],
    [
      "`/health`, `/info` and `/data-proxy` need no key; the rest does",
      "REST-INFO-001", "REST-HEALTH-001", "REST-PROXY-001", shownIn.openApi
    ],
    ["`/verify` checks the key", "REST-VERIFY-001", "REST-ERROR-002"],
    ["The upgrade carries the same header", "WS-CONN-001"],
    ["`authorized` follows the check; clients wait for it", "WS-CONN-001", "WS-CONN-006"],
    ["A key is of one account and kept secret", "REST-ERROR-017", shownIn.sqlPrivacy, shownIn.apiKey],
    ["A key may expire", "WS-LIVE-004", shownIn.keyRecord, shownIn.authentication],
    ["An invalid or missing key is 401, before anything else is looked at", "REST-ERROR-002", "REST-ERROR-015"],
    ["A failed authentication of a WebSocket is 401 on the upgrade", "WS-CONN-002", "WS-CONN-005"],
    ["Keys are issued, rotated and revoked by the operator", shownIn.projectLife, shownIn.projectChanges]
  ]
}

/** HTTP errors. */
export const httpErrorClauses: ClauseSection = {
  title: "HTTP errors",
  clauses: [
    ["200: success", "REST-EXEC-001"],
    ["400: invalid or disallowed parameters", "REST-PARAM-007", "REST-ERROR-006", "REST-ERROR-013", "REST-ERROR-014"],
    ["401: invalid or missing key", "REST-ERROR-002"],
    ["403: insufficient credits", "REST-ERROR-004"],
    ["404: no such Oracle Program", "REST-ERROR-005"],
    ["429: credit limit exceeded", "REST-ERROR-007", "REST-LIMIT-001"],
    ["500: server error, which tells nothing of the inside and costs nothing", shownIn.statuses, "REST-ERROR-017"],
    ["599: the program exited with another code than 0", "REST-FAIL-001", "REST-FAIL-005", "REST-FAIL-007"],
    ["With `includeDebugInfo` the phases' stdout and stderr are there", "REST-FAIL-002", "REST-FAIL-003"],
    ["`dataResult.exitCode` tells a client whether the program failed", "REST-FAIL-001", "REST-FAIL-004"],
    [
      "The example programs fail with exit code 1 and one line on wrong inputs",
      shownIn.metalsIndex, shownIn.cryptoPrice, shownIn.equitySession
    ]
  ]
}

/** Limits and versions. */
export const limitClauses: ClauseSection = {
  title: "Limits and versioning",
  clauses: [
    ["`amount` from 1 to 100, by default 25", "REST-HIST-003"],
    ["Feeds end with their connection", "WS-FEED-009"],
    ["The weights of the metals index sum to 100", shownIn.metalsIndex],
    [
      "Exhausted credits give 403, an exhausted limit 429",
      "REST-ERROR-004", "REST-ERROR-007", "REST-LIMIT-002", "WS-EXEC-005"
    ],
    [
      "A dry run tells what is left before anything is charged",
      "REST-QUOTE-001", "REST-QUOTE-002", "REST-QUOTE-003", "REST-QUOTE-004", "REST-QUOTE-005", "REST-LIMIT-003",
      "WS-CREDIT-001", "WS-CREDIT-002", shownIn.quote
    ],
    ["A project has gas limits, shown by `/project` and in `dataRequest`", "REST-PROJECT-001", "REST-EXEC-002"],
    ["The WebSocket address is `/ws/v1`", "WS-CONN-003", shownIn.lifecycle],
    ["`dataRequest` and `dataResult` carry a `version`", "REST-EXEC-002", "REST-EXEC-003"],
    ["`/info` answers the API version", "REST-INFO-001", "REST-DOCS-002"],
    ["REST paths carry no version", shownIn.openApi]
  ]
}
