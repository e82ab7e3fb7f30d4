/** Clauses of the decisions D1 to D21: what a client sees. */
import type { ClauseSection } from "./clause.ts"
import { shownIn } from "./shownIn.ts"
import { testNamed } from "./testEvidence.ts"

/** D1 to D21: what a client sees. */
export const wireDecisions: ClauseSection = {
  title: "Decisions D1 to D21: wire shapes",
  clauses: [
    [
      "D1: everything inside `data`, in the network's order, as compact JSON",
      "REST-EXEC-001",
      "REST-EXEC-005",
      testNamed(shownIn.responseJson, "a response > without raw parts equals JSON.stringify, without undefined members")
    ],
    [
      "D1: debug copies beside `data`, unless switched off; `tally` absent when skipped",
      "REST-SHOW-005",
      "WS-EXEC-002",
      testNamed(
        shownIn.executionView,
        "nesting and order of keys (D1) > adds the phases with debug info, and the same objects beside data after it"
      ),
      testNamed(
        shownIn.executionView,
        "nesting and order of keys (D1) > leaves the copies out if they are switched off, and where they never belong"
      ),
      testNamed(shownIn.executionView, "nesting and order of keys (D1) > has no tally when it was skipped")
    ],
    [
      "D2: `servicePayload`, `sedaPayload` or both by option",
      "REST-EXEC-003",
      testNamed(shownIn.executionView, "the last payload field (D2) > has the name that the service chose, or the profile's")
    ],
    [
      "D3: the four encodings apply to every copy of the result; JSON keeps each digit",
      "REST-SHOW-001",
      "REST-SHOW-002",
      "REST-SHOW-003",
      "REST-INPUT-011",
      "REST-FAIL-009",
      "WS-PARAM-008",
      testNamed(shownIn.resultEncoding, "encodeResult > shows hex with 0x, base64, and text with replacement characters"),
      testNamed(shownIn.resultEncoding, "encodeResult > changes no digit and no key order in a response")
    ],
    [
      "D4: flags are true, 1 or bare; false, 0, null or absent; anything else is refused",
      "REST-PARAM-001",
      "REST-PARAM-002",
      "REST-PARAM-003",
      "WS-PARAM-007"
    ],
    [
      "D5: parameters are in the query or the body; different values for one are 400; unknown ones are ignored",
      "REST-PARAM-004",
      "REST-PARAM-005",
      "REST-PARAM-006",
      "REST-PARAM-008",
      "WS-PARAM-009",
      testNamed(shownIn.executeParameters, "each parameter > may be repeated with the same meaning, but not with another"),
      testNamed(shownIn.executeParameters, "each parameter > means the same in query and body"),
      testNamed(shownIn.executeParameters, "readExecuteParameters > ignores unknown names, whatever their values"),
      testNamed(shownIn.misspelled, "a misspelled name > %s is refused with %s")
    ],
    [
      "D5: objects and lists become compact JSON; integers that would change are 400",
      "REST-INPUT-006",
      "REST-INPUT-007",
      "REST-LAST-011",
      testNamed(shownIn.programInputs, "an object or list > becomes compact JSON in the order of its keys, whatever the encoding"),
      testNamed(
        shownIn.programInputs,
        "an object or list > is refused if it has an integer that a double cannot hold, which is named, at any depth"
      )
    ],
    [
      "D5: null is absent; wrong hex and base64 are 400; + is a space",
      "REST-INPUT-003",
      "REST-INPUT-005",
      "REST-INPUT-008",
      testNamed(shownIn.query, "readQuery > takes a plus as a space, a missing value as empty, and empty parts as nothing")
    ],
    [
      "D6: REST accepts `injectLastResult` and `returnLastResultMaxAge`",
      "REST-LAST-004",
      "REST-LAST-005",
      "REST-LAST-008",
      "REST-LAST-009",
      "WS-PARAM-006"
    ],
    [
      "D7: ids with or without 0x in any case, returned in lowercase without it",
      "REST-EXEC-009",
      "REST-PARAM-007",
      "REST-HIST-007",
      testNamed(shownIn.hexId, "readHexId > normalizes every form to lowercase without 0x, and is idempotent")
    ],
    ["D8: the fields of `/info`", "REST-INFO-001", "REST-DOCS-002"],
    [
      "D9: the fields of `/health`; 503 while draining",
      "REST-HEALTH-001",
      "WS-END-001",
      testNamed(
        shownIn.lifecycle,
        "dispose > waits for running requests, refuses new ones, reports that it is draining, and then is closed"
      )
    ],
    [
      "D9: `/ready`, and its answer within a second whatever hangs",
      "REST-READY-001",
      testNamed(shownIn.readiness, "is 503 and names the %s that hangs or fails"),
      testNamed(shownIn.readiness, "is 503 while the service drains")
    ],
    [
      "D13: an unavailable database is 503 `Unavailable` (36054), and costs no credits",
      testNamed(shownIn.storeAway, "an unreachable store > is 503 with Retry-After, and a text without internal details"),
      testNamed(shownIn.storeAway, "an unreachable store > is code 36054 over WebSocket, and the connection goes on"),
      testNamed(shownIn.databaseAway, "charges no client and is reported at once")
    ],
    ["D10: the fields of `/project`", "REST-PROJECT-001", "REST-PROJECT-002"],
    ["D11: the entries of `/data-request-reports`, newest first", "REST-HIST-001", "REST-HIST-002"],
    [
      "D11: dates, cursor, empty pages, and refusals",
      "REST-HIST-004",
      "REST-HIST-005",
      "REST-HIST-006",
      "REST-HIST-009",
      testNamed(shownIn.reportCursor, "a cursor round-trips, and needs no escaping in a query"),
      testNamed(shownIn.reportCursor, "a cursor of another project or another drId is refused")
    ],
    [
      "D11: kept for 30 days, last results always",
      testNamed(shownIn.retentionSweep, "sweeps what is older than 30 days, at the start and every hour"),
      testNamed(shownIn.sqlStores, "the last result of a request stays, and its last success")
    ],
    [
      "D12: the fields of the summary",
      "REST-SHOW-006",
      "WS-EXEC-003",
      testNamed(shownIn.executionView, "the summary (D12) > shows what was used, what remains and the parts of both")
    ],
    [
      "D13: the body of errors, `x-request-id`, `WWW-Authenticate`",
      "REST-ERROR-001",
      "REST-ERROR-002",
      testNamed(shownIn.errorTable, "the errors > have a body with tag, text twice, request id and details, in this order"),
      testNamed(shownIn.errorTable, "the errors > set the headers for retrying and for authentication")
    ],
    [
      "D13: 405 with `Allow`, 413, 414, 415",
      "REST-ERROR-008",
      "REST-ERROR-009",
      "REST-ERROR-020",
      "REST-ERROR-010",
      "REST-ERROR-011",
      "REST-ERROR-012",
      "REST-ERROR-018",
      "REST-ERROR-019"
    ],
    [
      "D13: unknown paths are left to the embedding server, or 404 of a stand-alone server",
      "REST-ERROR-016",
      testNamed(shownIn.lifecycle, "paths > that are not the service's are ignored, whatever the method")
    ],
    [
      "D13: the same bodies on Node and Bun",
      testNamed(shownIn.expressRest, "passes every REST audit"),
      testNamed(shownIn.bunRest, "passes every REST audit"),
      testNamed(shownIn.sameAnswers, "%s is %i on both")
    ],
    [
      "D14: nothing stored is 404, a stored failure 599, logs are stored, nothing is charged",
      "REST-STORED-001",
      "REST-STORED-002",
      "REST-STORED-003",
      "REST-STORED-005",
      "REST-LAST-003"
    ],
    [
      "D15: 403, 429, 400 and 404, each with its details",
      "REST-ERROR-004",
      "REST-ERROR-005",
      "REST-ERROR-006",
      "REST-ERROR-007",
      "REST-LIMIT-001",
      "REST-LIMIT-004",
      "REST-STORED-007"
    ],
    [
      "D15: a full queue is 503 with `Retry-After: 1`",
      testNamed(shownIn.statuses, "500 and 503 > state when to retry"),
      testNamed(
        shownIn.admission,
        "maxRunsInFlight > refuses a project's run beyond half of the capacity, before it holds credits, and admits other projects"
      )
    ],
    [
      "D16: the failed execution over REST, WebSocket and in feeds",
      "REST-FAIL-001",
      "REST-FAIL-002",
      "REST-FAIL-003",
      "REST-FAIL-009",
      "WS-EXEC-004",
      "WS-FEED-003"
    ],
    [
      "D16: the text comes first and has the reason",
      "REST-FAIL-008",
      testNamed(shownIn.failureReason, "the reason of a failure > is the VM's if the VM ended the program")
    ],
    [
      "D17: the codes of JSON-RPC errors, each with `_tag`, `error` and `message`",
      "WS-RPC-001",
      "WS-PARAM-001",
      "WS-EXEC-005",
      "WS-FEED-006",
      "WS-FEED-007",
      testNamed(shownIn.errorTable, "the errors > have the specified status and code")
    ],
    ["D18: 401, 429 and 426 instead of an upgrade", "WS-CONN-002", "WS-CONN-003", "WS-CONN-004"],
    [
      "D18: early requests wait, binary frames close with 1003, fragments are reassembled",
      "WS-CONN-006",
      "WS-FRAME-001",
      "WS-FRAME-002",
      "WS-FRAME-003"
    ],
    ["D18: `feed.start` of an unknown or disallowed program fails at start", "WS-FEED-008"],
    [
      "D19: `/data-proxy` needs no key; keys of 33 or 65 bytes; not registered is 200",
      "REST-PROXY-001",
      "REST-PROXY-002",
      "REST-PROXY-003",
      testNamed(shownIn.dataProxyRoute, "a well-formed key > of a registered proxy shows its name and fee, without an API key: %s"),
      testNamed(shownIn.dataProxyRoute, "a well-formed key > of any other is answered as not registered, also of an inactive one"),
      testNamed(shownIn.proxyRecord, "a key > has one normalized form, however it is written")
    ],
    [
      "D20: `/docs`, OpenAPI and AsyncAPI, offline and without a key",
      "REST-DOCS-001",
      "REST-DOCS-002",
      "REST-DOCS-003",
      "REST-DOCS-007",
      "REST-DOCS-008",
      "REST-DOCS-009",
      "WS-DOCS-001",
      "WS-DOCS-002",
      "WS-DOCS-003",
      testNamed(shownIn.docs, "/docs > is a page without a key that shows the document and loads nothing from elsewhere"),
      testNamed(shownIn.asyncApi, "against a service > serves document and page without a key, linked from the REST documentation")
    ],
    [
      "D21: a service is one network under any prefix; networks are separate",
      testNamed(shownIn.twoNetworks, "two networks in one process > refuse each other's keys"),
      testNamed(shownIn.twoNetworks, "two networks in one process > have programs and results of their own"),
      testNamed(shownIn.mountPoint, "never matches a longer segment"),
      testNamed(shownIn.sqlPrivacy, "a database > belongs to one network")
    ],
    ["RFC 6455: handshake, close and ping follow the protocol", "WS-CONN-005", "WS-CONN-007", "WS-LIVE-001"],
    ["Several connections of one key do not mix", "WS-CONN-008"]
  ]
}
