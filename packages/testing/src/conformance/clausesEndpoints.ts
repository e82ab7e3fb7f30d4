/** Clauses about the REST endpoints, their parameters, who may call them, their errors and limits. */
import type { ClauseSection } from "./clause.ts"
import { shownIn } from "./shownIn.ts"
import { testNamed } from "./testEvidence.ts"

/** `/execute`, by both methods. */
export const executeClauses: ClauseSection = {
  title: "GET and POST /execute",
  clauses: [
    ["`execProgramId`, hex, required", "REST-PARAM-007"],
    ["`execInputs`, hex or text", "REST-INPUT-001", "REST-EXEC-007"],
    ["`tallyInputs`, hex or text", "REST-INPUT-001", "REST-EXEC-007"],
    ["`tallyProgramId`, by default `execProgramId`", "REST-EXEC-008"],
    ["`inputEncoding`: `auto` by default, `hex`, `utf8`, `base64`", "REST-INPUT-002", "REST-INPUT-011", "REST-INPUT-004"],
    ["`auto`: hex after 0x, else UTF-8", "REST-INPUT-001"],
    ["`hex`: always hex, 0x stripped", "REST-INPUT-001"],
    ["`utf8`: always text, even after 0x", "REST-INPUT-001"],
    ["`base64`: decoded", "REST-INPUT-001", "REST-INPUT-003"],
    ["`returnLastResult`, a flag: a stored result instead of a run", "REST-LAST-001", "REST-LAST-002"],
    ["`includeSummary`, a flag: credit usage", "REST-SHOW-006"],
    ["`includeDebugInfo`, a flag: stdout and stderr", "REST-SHOW-004", "REST-FAIL-002"],
    ["`encoding`: `hex`, `base64`, `utf8`, `json`", "REST-SHOW-001", "REST-SHOW-002", "REST-SHOW-003"],
    ["200 on success, with the execute response", "REST-EXEC-001"],
    ["599 when the program exits with another code than 0", "REST-FAIL-001", "REST-FAIL-003"],
    [
      "A failed or timed out HTTP request of a program is a common cause of 599",
      testNamed(shownIn.upstreamFaults, "%s > fails clearly with the market's fault %s"),
      testNamed(
        shownIn.vmRuntime,
        "with each worker a %s: > outbound requests > report their time limit when they time out: their own, or the rest of the run's"
      )
    ],
    ["POST: a JSON body with `execProgramId`, `execInputs`, `tallyProgramId`, `tallyInputs`", "REST-PARAM-004", "REST-EXEC-006"],
    ["POST: `execInputs` may be an object or a list", "REST-INPUT-006", "REST-INPUT-009"],
    ["POST: the flags and `encoding` in the query", "REST-PARAM-004"],
    [
      "POST responds like GET; one request has one drId",
      "REST-EXEC-006",
      testNamed(shownIn.sameRequest, "one request to the service > has one drId as GET and as POST"),
      testNamed(shownIn.sameDrId, "one request > has one drId as GET and as POST")
    ]
  ]
}

/** Every other endpoint. */
export const endpointClauses: ClauseSection = {
  title: "Other endpoints",
  clauses: [
    ["`/execute/last-result`: GET and POST with the parameters of `/execute`", "REST-STORED-001", "REST-STORED-009", "REST-STORED-011"],
    ["`/execute/last-result`: `mode` is `success` or `last`, by default `last`", "REST-STORED-003", "REST-STORED-004", "REST-STORED-008"],
    ["`/execute/last-result`: returns the last stored result", "REST-STORED-010", "REST-STORED-001", "REST-STORED-005"],
    ["`/project`: credits, usage limits, gas limits, allow-list; no parameters", "REST-PROJECT-001", "REST-PROJECT-002"],
    ["`/data-request-reports`: `drId`, required", "REST-HIST-005", "REST-HIST-007"],
    [
      "`/data-request-reports`: `startDate` and `endDate`",
      "REST-HIST-004",
      "REST-HIST-009",
      testNamed(shownIn.dateRange, "a date > without a time is its whole UTC day")
    ],
    ["`/data-request-reports`: `amount`, 1 to 100, by default 25", "REST-HIST-003"],
    [
      "`/data-request-reports`: `nextPageId` of an earlier call",
      "REST-HIST-002",
      testNamed(shownIn.reportCursor, "a cursor round-trips, and needs no escaping in a query"),
      testNamed(shownIn.reportCursor, "a cursor of another project or another drId is refused")
    ],
    [
      "`/data-request-reports`: a list in pages, with results and metadata",
      "REST-HIST-001",
      "REST-HIST-002",
      "REST-HIST-008",
      "WS-FEED-012"
    ],
    ["`/info`: public key and API version; no key needed", "REST-INFO-001"],
    ["`/health`: the service's status; no key needed", "REST-HEALTH-001"],
    ["`/data-proxy/{public_key}`: the record of a key in hex", "REST-PROXY-001", "REST-PROXY-002", "REST-PROXY-003"],
    [
      "`/programs`: the names of programs, which can replace ids in every request (our addition)",
      "REST-NAME-001",
      "REST-NAME-002",
      "REST-NAME-003",
      testNamed(
        shownIn.programNames,
        "a name instead of an id > gives the same drId as the id, in query, in body and for the tally; the answer shows id and name"
      ),
      testNamed(shownIn.programNames, "GET /programs > lists the names that the project may use, each with its program and since when")
    ],
    [
      "`/tickets`: short-lived and narrow, in place of a key (our addition)",
      "REST-TICKET-001",
      "REST-TICKET-002",
      "REST-TICKET-003",
      "REST-TICKET-004",
      "REST-TICKET-005",
      "REST-TICKET-006",
      "REST-TICKET-007",
      "WS-TICKET-001",
      "WS-TICKET-002",
      "WS-TICKET-003",
      "WS-TICKET-004"
    ],
    [
      "Pages of other origins: those that are allowed, and no others (our addition)",
      "REST-ORIGIN-001",
      "REST-ORIGIN-002",
      "REST-ORIGIN-003",
      "REST-ORIGIN-004"
    ],
    [
      "`/executions/{id}/recording`: a run that anybody can run again (our addition)",
      "REST-RECORD-001",
      "REST-RECORD-002",
      "REST-RECORD-003",
      testNamed(
        shownIn.recording,
        "GET /executions/{id}/recording > has the tape of each executor, and the last result that the program was given"
      ),
      testNamed(
        shownIn.recording,
        "GET /executions/{id}/recording > is refused where there is none: not recorded, too large, another project's, unknown, no id"
      ),
      testNamed(shownIn.recording, "GET /executions/{id}/recording > takes a key of the project, and no ticket"),
      testNamed(shownIn.replay, "the committed recording > comes out as it was recorded")
    ],
    [
      "`/keys`: the project's valid keys by name (our addition)",
      "REST-KEYS-001",
      testNamed(shownIn.projectKeys, "GET /keys > shows the project's valid keys by name, and neither a key nor its id"),
      testNamed(shownIn.projectKeys, "GET /keys > takes a valid key: without one, with a revoked one and with a ticket it is refused")
    ],
    [
      "`/programs/{program}`: size, findings and last runs of a program (our addition)",
      "REST-PROGRAM-001",
      "REST-PROGRAM-002",
      "REST-PROGRAM-003",
      testNamed(shownIn.program, "GET /programs/{program} > shows names, size, findings, and the last runs with their gas, newest first"),
      testNamed(
        shownIn.program,
        "GET /programs/{program} > refuses what is no reference, what is not deployed, and what the project or the ticket may not run"
      )
    ],
    ["`/verify`: the verify record; no parameters", "REST-VERIFY-001"],
    [
      "The endpoints are these, by these methods, and no others",
      "REST-DOCS-003",
      "REST-ERROR-008",
      "REST-ERROR-020",
      "REST-PROXY-004",
      testNamed(shownIn.openApi, "the OpenAPI document > has exactly the routes of the contract")
    ],
    [
      "Every response is documented in the OpenAPI document, and every documented one is given",
      "REST-DOCS-004",
      "REST-DOCS-005",
      "REST-DOCS-006",
      testNamed(shownIn.documentedAnswers, "generated requests > are answered as documented, 5,000 times out of 5,000"),
      testNamed(shownIn.documentedAnswers, "every documented answer > occurs"),
      testNamed(shownIn.hostileRequests, "hostile requests > are answered with a status and a body of the contract, or ignored")
    ]
  ]
}

/** Keys and who needs one. */
export const authenticationClauses: ClauseSection = {
  title: "Authentication",
  clauses: [
    ["REST carries `Authorization: Bearer <key>`", "REST-ERROR-002", "REST-ERROR-003"],
    [
      "`/health`, `/info` and `/data-proxy` need no key; all others do",
      "REST-INFO-001",
      "REST-HEALTH-001",
      "REST-PROXY-001",
      "REST-DOCS-003",
      testNamed(shownIn.openApi, "the OpenAPI document > requires a key where one is needed")
    ],
    ["`/verify` checks the key", "REST-VERIFY-001", "REST-ERROR-002"],
    ["The upgrade carries the same header", "WS-CONN-001"],
    ["`authorized` follows the check; clients wait for it", "WS-CONN-001", "WS-CONN-006"],
    [
      "A key belongs to one account and is secret",
      "REST-ERROR-017",
      testNamed(shownIn.sqlPrivacy, "API keys > are in no file of the database, only their hashes"),
      testNamed(shownIn.apiKey, "makeApiKey > makes a key that contains its id and network, and a hash that differs from the key")
    ],
    [
      "A key may expire",
      "WS-LIVE-004",
      testNamed(shownIn.keyRecord, "keyStateAt > is active until the time of expiry, and revoked at any time"),
      testNamed(shownIn.authentication, "keyOpens > is expired exactly at the time of expiry")
    ],
    ["An invalid or missing key is 401, before anything else is checked", "REST-ERROR-002", "REST-ERROR-015"],
    ["A failed authentication of a WebSocket is 401 on the upgrade", "WS-CONN-002", "WS-CONN-005"],
    [
      "Keys are issued, rotated and revoked by the operator",
      testNamed(shownIn.projectLife, "a project's life by command line on ${…} > on SQLite"),
      testNamed(shownIn.projectChanges, "a rotated key > is valid beside the new one while they overlap, then 401 with its sockets closed")
    ]
  ]
}

/** HTTP errors. */
export const httpErrorClauses: ClauseSection = {
  title: "HTTP errors",
  clauses: [
    ["200: success", "REST-EXEC-001"],
    ["400: invalid or disallowed parameters", "REST-PARAM-007", "REST-ERROR-006", "REST-ERROR-013", "REST-ERROR-014"],
    ["401: invalid or missing key", "REST-ERROR-002"],
    ["403: insufficient credits", "REST-ERROR-004", "REST-LIMIT-004"],
    ["404: no such Oracle Program", "REST-ERROR-005"],
    ["429: credit limit exceeded", "REST-ERROR-007", "REST-LIMIT-001"],
    [
      "500: server error, which reveals no internals and costs nothing",
      "REST-ERROR-017",
      testNamed(shownIn.statuses, "500 and 503 > reveal no internal details of an error, and do not charge for it")
    ],
    ["599: the program exited with another code than 0", "REST-FAIL-001", "REST-FAIL-005", "REST-FAIL-007"],
    ["With `includeDebugInfo` the phases' stdout and stderr are included", "REST-FAIL-002", "REST-FAIL-003"],
    ["`dataResult.exitCode` tells a client whether the program failed", "REST-FAIL-001", "REST-FAIL-004"],
    [
      "The example programs fail with exit code 1 and one line on wrong inputs",
      testNamed(shownIn.metalsIndex, "the index refuses > %s"),
      testNamed(shownIn.cryptoPrice, "the execution phase refuses > %s"),
      testNamed(shownIn.equitySession, "the program refuses > %s")
    ]
  ]
}

/** Limits and versions. */
export const limitClauses: ClauseSection = {
  title: "Limits and versioning",
  clauses: [
    ["`amount` from 1 to 100, by default 25", "REST-HIST-003"],
    ["Feeds end with their connection", "WS-FEED-009"],
    ["The weights of the metals index sum to 100", testNamed(shownIn.metalsIndex, "the index refuses > %s")],
    ["Exhausted credits give 403, an exhausted limit 429", "REST-ERROR-004", "REST-ERROR-007", "REST-LIMIT-002", "WS-EXEC-005"],
    [
      "A dry run states the remaining credits before anything is charged",
      "REST-QUOTE-001",
      "REST-QUOTE-002",
      "REST-QUOTE-003",
      "REST-QUOTE-004",
      "REST-QUOTE-005",
      "REST-LIMIT-003",
      "WS-CREDIT-001",
      "WS-CREDIT-002",
      testNamed(shownIn.quote, "a quote > is the worst case by its parts, what the request cost the last time, and what remains")
    ],
    ["A project has gas limits, shown by `/project` and in `dataRequest`", "REST-PROJECT-001", "REST-EXEC-002"],
    [
      "The WebSocket address is `/ws/v1`",
      "WS-CONN-003",
      testNamed(shownIn.lifecycle, "paths > that are not the service's are ignored, whatever the method")
    ],
    ["`dataRequest` and `dataResult` carry a `version`", "REST-EXEC-002", "REST-EXEC-003"],
    ["`/info` returns the API version", "REST-INFO-001", "REST-DOCS-002"],
    [
      "REST paths carry no version",
      "REST-DOCS-003",
      testNamed(shownIn.openApi, "the OpenAPI document > has exactly the routes of the contract")
    ]
  ]
}
