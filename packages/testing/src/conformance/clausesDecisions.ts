/** Clauses of the decisions D1 to D46, which settle what the interface leaves open. */
import type { ClauseSection } from "./clause.ts"
import { shownIn } from "./shownIn.ts"

/** D1 to D21: what a client sees. */
export const wireDecisions: ClauseSection = {
  title: "Decisions D1 to D21: wire shapes",
  clauses: [
    [
      "D1: everything inside `data`, in the network's order, as compact JSON",
      "REST-EXEC-001", "REST-EXEC-005", shownIn.responseJson
    ],
    [
      "D1: debug copies beside `data`, unless switched off; `tally` absent when skipped",
      "REST-SHOW-005", "WS-EXEC-002", shownIn.executionView
    ],
    ["D2: `servicePayload`, `sedaPayload` or both by option", "REST-EXEC-003", shownIn.executionView],
    [
      "D3: the four encodings apply to every copy of the result; JSON keeps each digit",
      "REST-SHOW-001", "REST-SHOW-002", "REST-SHOW-003", shownIn.resultEncoding
    ],
    [
      "D4: flags are true, 1 or bare; false, 0, null or absent; anything else is refused",
      "REST-PARAM-001", "REST-PARAM-002", "REST-PARAM-003", "WS-RPC-001"
    ],
    [
      "D5: parameters stand in the query or the body; twice and different is 400; unknown ones are ignored",
      "REST-PARAM-004", "REST-PARAM-005", "REST-PARAM-006", "REST-PARAM-008", shownIn.executeParameters, shownIn.misspelled
    ],
    [
      "D5: objects and lists become compact JSON; integers that would change are 400",
      "REST-INPUT-006", "REST-INPUT-007", shownIn.programInputs
    ],
    [
      "D5: null is absent; wrong hex and base64 are 400; + is a space",
      "REST-INPUT-003", "REST-INPUT-005", "REST-INPUT-008", shownIn.query
    ],
    [
      "D6: REST takes `injectLastResult` and `returnLastResultMaxAge`",
      "REST-LAST-004", "REST-LAST-005", "REST-LAST-008", "REST-LAST-009"
    ],
    [
      "D7: ids with or without 0x in any case, answered in lowercase without it",
      "REST-EXEC-009", "REST-PARAM-007", "REST-HIST-007", shownIn.hexId
    ],
    ["D8: the fields of `/info`", "REST-INFO-001", "REST-DOCS-002"],
    ["D9: the fields of `/health`; 503 while draining", "REST-HEALTH-001", shownIn.lifecycle, "WS-END-001"],
    ["D9: `/ready`, and what it says within a second whatever hangs", "REST-READY-001", shownIn.readiness],
    ["D13: a database that is away is 503 `Unavailable` (36054), and costs nobody credits", shownIn.storeAway, shownIn.databaseAway],
    ["D10: the fields of `/project`", "REST-PROJECT-001", "REST-PROJECT-002"],
    ["D11: the entries of `/data-request-reports`, newest first", "REST-HIST-001", "REST-HIST-002"],
    [
      "D11: dates, cursor, empty pages, and what is refused",
      "REST-HIST-004", "REST-HIST-005", "REST-HIST-006", shownIn.reportCursor
    ],
    ["D11: kept for 30 days, last results always", shownIn.retentionSweep, shownIn.sqlStores],
    ["D12: the fields of the summary", "REST-SHOW-006", "WS-EXEC-003", shownIn.executionView],
    [
      "D13: the body of errors, `x-request-id`, `WWW-Authenticate`",
      "REST-ERROR-001", "REST-ERROR-002", shownIn.errorTable
    ],
    [
      "D13: 405 with `Allow`, 413, 414, 415",
      "REST-ERROR-008", "REST-ERROR-009", "REST-ERROR-010", "REST-ERROR-011", "REST-ERROR-012", "REST-ERROR-018", "REST-ERROR-019"
    ],
    ["D13: foreign paths are left alone, or 404 of a stand-alone server", "REST-ERROR-016", shownIn.lifecycle],
    ["D13: the same bodies on Node and Bun", shownIn.expressRest, shownIn.bunRest],
    [
      "D14: nothing stored is 404, a stored failure 599, logs are stored, nothing is charged",
      "REST-STORED-001", "REST-STORED-002", "REST-STORED-003", "REST-STORED-005", "REST-LAST-003"
    ],
    [
      "D15: 403, 429, 400 and 404, each with its details",
      "REST-ERROR-004", "REST-ERROR-005", "REST-ERROR-006", "REST-ERROR-007", "REST-LIMIT-001", "REST-STORED-007"
    ],
    ["D15: a full queue is 503 with `Retry-After: 1`", shownIn.statuses, shownIn.admission],
    [
      "D16: the failed execution over REST, WebSocket and in feeds",
      "REST-FAIL-001", "REST-FAIL-002", "REST-FAIL-003", "WS-EXEC-004", "WS-FEED-003"
    ],
    ["D16: the text stands first and says why", "REST-FAIL-008", shownIn.failureReason],
    [
      "D17: the codes of JSON-RPC errors, each with `_tag`, `error` and `message`",
      "WS-RPC-001", "WS-EXEC-005", "WS-FEED-006", "WS-FEED-007", shownIn.errorTable
    ],
    ["D18: 401, 429 and 426 instead of an upgrade", "WS-CONN-002", "WS-CONN-003", "WS-CONN-004"],
    [
      "D18: early requests wait, binary frames close with 1003, fragments are put together",
      "WS-CONN-006", "WS-FRAME-001", "WS-FRAME-002", "WS-FRAME-003"
    ],
    ["D18: `feed.start` of an unknown or disallowed program fails at start", "WS-FEED-008"],
    [
      "D19: `/data-proxy` needs no key; keys of 33 or 65 bytes; not registered is 200",
      "REST-PROXY-001", "REST-PROXY-002", "REST-PROXY-003", shownIn.dataProxyRoute, shownIn.proxyRecord
    ],
    [
      "D20: `/docs`, OpenAPI and AsyncAPI, offline and without a key",
      "REST-DOCS-001", "REST-DOCS-002", shownIn.docs, shownIn.asyncApi
    ],
    [
      "D21: a service is one network under any prefix; nothing crosses",
      shownIn.twoNetworks, shownIn.mountPoint, shownIn.sqlPrivacy
    ],
    ["RFC 6455: handshake, close and ping as the protocol has them", "WS-CONN-005", "WS-CONN-007", "WS-LIVE-001"],
    ["Several connections of one key do not mix", "WS-CONN-008"]
  ]
}

/** D22 to D30, D44, D45: how programs are run. */
export const executionDecisions: ClauseSection = {
  title: "Decisions D22 to D30, D44, D45: execution",
  clauses: [
    [
      "D22: drId, result id and signature are the public network's",
      "REST-EXEC-002", "REST-EXEC-011", shownIn.protocolVectors, shownIn.solidity
    ],
    [
      "D22: `blockTimestamp` grows for each drId, across restarts",
      "REST-EXEC-004", shownIn.sqlStores, shownIn.sqlRestart
    ],
    ["D22: the signed exit code is a byte and no failure is signed as success", "REST-FAIL-004", shownIn.dataResultId],
    ["D22: 65 bytes r, s, v with low s", shownIn.resultSignature, "REST-EXEC-011"],
    [
      "D23: a failed execution phase skips the tally; else the tally decides; gas is the sum",
      "REST-FAIL-002", "REST-FAIL-003", "REST-EXEC-010", shownIn.execution
    ],
    [
      "D24: several executors, filters, reveals and consensus",
      shownIn.replication, shownIn.consensus, shownIn.consensusFilter
    ],
    [
      "D25: gas and exit codes to the unit, on every repeat",
      shownIn.vmVectors, "REST-FAIL-005", "REST-FAIL-006", "REST-FAIL-007"
    ],
    ["D25: a run replays from its tape to the same outcome", shownIn.vmDriver, shownIn.vmPass],
    ["D25: what programs may be made of, in both phases", shownIn.vmCheck],
    ["D25: what programs read of the answers to their requests", shownIn.vmPromise, shownIn.vmVectors],
    ["D26: the environment of both phases, in order", "REST-EXEC-013", shownIn.phaseInputs],
    ["D26: an injected last result, which changes no drId", "REST-LAST-008", "WS-EXEC-007", shownIn.lastResult],
    [
      "D27: `returnLastResult`: only good results, only young enough, without charge, marked",
      "REST-LAST-001", "REST-LAST-004", "REST-LAST-006", shownIn.hotAnswers
    ],
    ["D27: ages go on counting when the wall clock is set, and what comes from the future is old", shownIn.resultAges],
    ["D27: refresh in the background, by option and by profile", shownIn.lastResult],
    [
      "D27: the public network's profile answers with its fields, to the byte",
      shownIn.publicNetworkView, shownIn.exampleAnswers
    ],
    [
      "D28: every completed run is stored, by project and the four values",
      "REST-LAST-007", "REST-STORED-006", shownIn.lastResultKey, shownIn.memoryLaws
    ],
    ["D29: inputs of 256 KiB, bodies of 2 MiB", "REST-INPUT-010", "REST-ERROR-010"],
    ["D29: the numbers of every limit, and of the gas limits of D22", shownIn.decidedNumbers],
    ["D29: the wall clock ends a run, charged for its last finished pass", "REST-FAIL-006", shownIn.vmRuntime],
    ["D29: limits of logs, results and programs", shownIn.vmEnding, shownIn.vmCheck],
    ["D29: limits of a project's own", shownIn.projectChanges, shownIn.projectSettings],
    [
      "D30: outbound requests reach public addresses only, at every redirect",
      shownIn.addressPolicy, shownIn.httpFetchLive, shownIn.hostileUrls
    ],
    ["D30: allow-list, stand-ins and headers per host", shownIn.httpFetchLive, shownIn.headerPolicy],
    [
      "D44: storage per project and program, written with a good run, replayed from the tape",
      shownIn.keptValues, shownIn.sqlStores
    ],
    [
      "D45: programs are deployed through the store, by command line or by an embedder's code",
      shownIn.projectLife, shownIn.memoryLaws
    ],
    [
      "D45: there is no deployment over REST unless it is switched on: foreign paths are not answered",
      shownIn.lifecycle
    ]
  ]
}

/** D31 to D34: credits and retries. */
export const creditDecisions: ClauseSection = {
  title: "Decisions D31 to D34: credits",
  clauses: [
    [
      "D31: base, begun gas and data proxy fees, in whole credits",
      "REST-SHOW-007", "REST-SHOW-008", shownIn.price, shownIn.decidedNumbers
    ],
    [
      "D31: data proxies are paid for good answers only, within the run's budget",
      shownIn.proxiedFetch, shownIn.vmProxyCalls, shownIn.dataProxyOperator
    ],
    [
      "D32: the worst case is held, the true price posted, the rest returned",
      "REST-SHOW-007", "REST-QUOTE-004", shownIn.charging, shownIn.credits
    ],
    [
      "D32: a run that has started is finished and charged whatever its client does",
      "WS-FEED-009", "WS-LOAD-002", shownIn.charging, shownIn.lifecycle
    ],
    ["D32: holds of a crash are voided, and none is lost", shownIn.sqlCrash],
    ["D33: remaining is granted less used less held", "REST-VERIFY-001", "REST-SHOW-007", shownIn.balance],
    [
      "D34: an `Idempotency-Key` runs once and answers the same",
      "REST-RETRY-001", "REST-RETRY-002", "REST-RETRY-005", shownIn.idempotency
    ],
    ["D34: another request under the key is 422, a malformed key 400", "REST-RETRY-003", "REST-RETRY-004"],
    [
      "D34: refusals are not kept, projects do not meet, GET takes no notice",
      "REST-RETRY-006", "REST-RETRY-007", "REST-RETRY-008"
    ],
    ["D34: the claim outlives its process on a shared database", shownIn.retries, shownIn.sqlRetries]
  ]
}

/** D35 to D43, D46: feeds, example programs, versions. */
export const feedDecisions: ClauseSection = {
  title: "Decisions D35 to D43, D46: feeds, example programs, versions",
  clauses: [
    ["D35: the first run starts right after the reply", "WS-FEED-001", shownIn.feed],
    [
      "D36: `FIXED` is a grid; points passed are dropped; no overlap, no burst, no drift",
      "WS-MODE-001", shownIn.schedule, shownIn.feeds
    ],
    ["D37: `SEQUENTIAL` is the end plus the period", "WS-MODE-002", shownIn.schedule],
    [
      "D38: `PARALLEL` is the first start plus n periods; beyond the overlap a start is a failed run",
      "WS-MODE-003", shownIn.feed, shownIn.feeds
    ],
    [
      "D39: one result a run, with `seq`, `scheduledAt`, `startedAt`; none after the stop",
      "WS-FEED-002", "WS-FEED-005", shownIn.serviceFeeds
    ],
    [
      "D40: no failure ends a feed, a fault of ours neither",
      "WS-FEED-003", "WS-FEED-004", "WS-CREDIT-003", shownIn.rpcFaults
    ],
    [
      "D41: periods from 10 ms to 24 h, 50 feeds a connection, 20 connections a key",
      "WS-RPC-001", "WS-FEED-007", "WS-CONN-004", shownIn.decidedNumbers
    ],
    [
      "D41: ping and pong; slow readers are closed with 1013, others untouched",
      "WS-LIVE-002", "WS-LIVE-005", "WS-LIVE-006", shownIn.outputPressure
    ],
    [
      "D41: a revoked or expired key closes with 1008, draining with 1001",
      "WS-LIVE-003", "WS-LIVE-004", "WS-END-001", shownIn.connections
    ],
    ["D41: the same over both adapters", shownIn.expressWs, shownIn.bunWs],
    ["D42: the equity session's sessions, weights, staleness and arithmetic", shownIn.equitySession],
    [
      "D43: the metals index's and the crypto price's rules, refusals and rounding",
      shownIn.metalsIndex, shownIn.cryptoPrice, shownIn.upstreamFaults
    ],
    [
      "D46: version 1 grows by addition: unknown members are ignored; there is no `/ws/v2`",
      "WS-RPC-005", "REST-PARAM-006", shownIn.lifecycle
    ]
  ]
}
