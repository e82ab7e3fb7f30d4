/** Clauses about WebSocket connections: states, scheduling, messages, events, errors. */
import type { ClauseSection } from "./clause.ts"
import { shownIn } from "./shownIn.ts"
import { testNamed } from "./testEvidence.ts"

/** The life of connections and feeds. */
export const stateClauses: ClauseSection = {
  title: "States and transitions",
  clauses: [
    ["Exit code 0 is success, any other is failure", "REST-EXEC-003", "REST-FAIL-001", "REST-FAIL-004"],
    ["An upgrade with a valid key connects and authorizes; one `authorized` follows at once", "WS-CONN-001"],
    ["Authorized, `feed.execute`: a response with the execute body, or an error", "WS-EXEC-001", "WS-EXEC-004"],
    ["Authorized, `feed.start`: `{feedId}`, then a `feed.result` for each run", "WS-FEED-001", "WS-FEED-002"],
    ["Running, a run succeeds: `feed.result` with `params.result`; the feed continues", "WS-FEED-002"],
    ["Running, a run fails: `feed.result` with `params.error`; the feed continues", "WS-FEED-003"],
    ["Running, `feed.stop` of the feed: stopped, `{feedId}`", "WS-FEED-005", "WS-FEED-013"],
    ["Stopped or unknown, `feed.stop`: a not found error, nothing changes", "WS-PARAM-013", "WS-FEED-005"],
    ["Running, the connection closes: the feed ends", "WS-FEED-009", "WS-LOAD-002"],
    [
      "No pong before the next ping: the connection is closed",
      "WS-LIVE-002",
      testNamed(shownIn.keepalive, "any sequence of events gives what the rule gives")
    ],
    ["A feed belongs to the connection that started it", "WS-FEED-006"],
    ["Several feeds on one connection, each with its own configuration and id", "WS-FEED-010", "WS-FEED-007", "WS-FEED-002", "WS-FEED-013"],
    ["Clients wait for `authorized`; earlier requests are answered after it", "WS-CONN-006"],
    [
      "`FIXED`: evenly spaced; after a run longer than the interval the next starts at once; no overlap",
      "WS-MODE-001",
      testNamed(shownIn.schedule, "FIXED > is on the grid unless the previous run took longer than a period"),
      testNamed(
        shownIn.schedule,
        "FIXED > starts after the start and not before the end of the previous run, and is never idle for a whole period"
      )
    ],
    [
      "`SEQUENTIAL`: the next run starts one interval after the end of the previous one",
      "WS-MODE-002",
      testNamed(shownIn.schedule, "examples of a feed of 100 ms that started at 1,000 > SEQUENTIAL: run %i from %i to %i is followed at %i")
    ],
    [
      "`PARALLEL`: a run each interval, without waiting",
      "WS-MODE-003",
      testNamed(shownIn.schedule, "examples of a feed of 100 ms that started at 1,000 > PARALLEL: run %i from %i to %i is followed at %i")
    ],
    [
      "All three modes satisfy their law on arbitrary traffic",
      testNamed(
        shownIn.serviceFeeds,
        "arbitrary traffic over several connections satisfies the laws, observed from inside and over the wire"
      ),
      testNamed(
        shownIn.feeds,
        "any number of feeds on any number of connections > keep the laws exactly, whatever runs, stops, disconnects and the wall clock do"
      )
    ]
  ]
}

/** Requests and replies. */
export const webSocketClauses: ClauseSection = {
  title: "WebSocket interface",
  clauses: [
    ["Connect with the `Authorization` header", "WS-CONN-001", "WS-CONN-002"],
    ["Each message is one JSON object in one text frame", "WS-FRAME-004", "WS-FRAME-001"],
    ["Requests follow JSON-RPC 2.0", "WS-RPC-001", "WS-RPC-002"],
    [
      "`jsonrpc` is `2.0`, required",
      "WS-RPC-001",
      testNamed(shownIn.rpcMessage, "an invalid request is answered with > 32600 and no id: %j")
    ],
    ["`id` is a text, required, chosen by the client", "WS-RPC-001", "WS-RPC-003"],
    ["`method` is `feed.execute`, `feed.start` or `feed.stop`, required", "WS-RPC-001"],
    ["`params` is an object, required", "WS-RPC-001"],
    ["`feed.execute`: `execProgramId`, required", "WS-PARAM-001"],
    ["`feed.execute`: `execInputs`, decoded by `inputEncoding`", "WS-PARAM-002"],
    ["`feed.execute`: `tallyProgramId`, by default `execProgramId`", "WS-PARAM-003", "WS-EXEC-001"],
    ["`feed.execute`: `tallyInputs`", "WS-PARAM-004"],
    ["`feed.execute`: `inputEncoding`: `auto`, `hex`, `utf8`, `base64`", "WS-PARAM-005"],
    ["`feed.execute`: `returnLastResult`", "WS-EXEC-006"],
    ["`feed.execute`: `returnLastResultMaxAge`, seconds", "WS-PARAM-006", "WS-EXEC-006"],
    ["`feed.execute`: `includeSummary`", "WS-EXEC-003"],
    ["`feed.execute`: `includeDebugInfo`", "WS-EXEC-002", "WS-PARAM-007"],
    ["`feed.execute`: `injectLastResult`: `success`, `last`, `none`", "WS-EXEC-007"],
    ["`feed.execute`: `encoding`: `hex`, `base64`, `utf8`, `json`", "WS-PARAM-008"],
    ["`feed.execute` returns the execute response body, or an error", "WS-EXEC-001", "WS-EXEC-004"],
    ["`feed.start`: `execute`, required, with the shape of `feed.execute`", "WS-PARAM-010", "WS-FEED-011", "WS-FEED-002"],
    ["`feed.start`: `periodicityMs`, a number, required", "WS-PARAM-011"],
    ["`feed.start`: `mode`, required: `FIXED`, `SEQUENTIAL`, `PARALLEL`", "WS-PARAM-012", "WS-MODE-001"],
    ["`feed.start` answers `{feedId}`", "WS-FEED-001"],
    ["`feed.stop`: `feedId`, required; answers `{feedId}`", "WS-FEED-005", "WS-PARAM-013"],
    [
      "Success: `jsonrpc`, the request's `id`, `result`",
      "WS-EXEC-001",
      testNamed(shownIn.rpcView, "an execution > that succeeded is an unchanged result")
    ],
    [
      "Error: `jsonrpc`, the request's `id` or null, `error`",
      "WS-RPC-001",
      "WS-RPC-002",
      testNamed(shownIn.rpcView, "a text > of a reply is JSON-RPC 2.0 with its exact id, and either a result or an error")
    ],
    ["Every request gets exactly one reply", "WS-LOAD-003"]
  ]
}

/** Notifications. */
export const eventClauses: ClauseSection = {
  title: "Events",
  clauses: [
    ["REST sends none; notifications carry no `id`", "WS-CONN-001", "WS-FEED-002"],
    ["The service pings; a client that answers stays connected", "WS-LIVE-002", "WS-LIVE-001"],
    ["`authorized`: once, right after the upgrade", "WS-CONN-001"],
    ["`authorized`: the seven members of the verify record", "WS-CONN-001"],
    [
      "`feed.result`: after each run of an active feed",
      "WS-FEED-002",
      testNamed(
        shownIn.serviceFeeds,
        "arbitrary traffic over several connections satisfies the laws, observed from inside and over the wire"
      )
    ],
    ["`feed.result`: `feedId`, required", "WS-FEED-002"],
    ["`feed.result`: `result` is the execute response body, on success", "WS-FEED-002", "WS-FEED-011"],
    ["`feed.result`: `error` on failure, at least `{error: text}`; it is not a protocol error", "WS-FEED-003"]
  ]
}

/** JSON-RPC errors. */
export const rpcErrorClauses: ClauseSection = {
  title: "WebSocket errors",
  clauses: [
    ["32700: invalid JSON, id null", "WS-RPC-001", "WS-RPC-002"],
    [
      "32600: missing or invalid `jsonrpc`, id null",
      "WS-RPC-001",
      testNamed(shownIn.rpcMessage, "an invalid request is answered with > 32600 and no id: %j")
    ],
    ["32602: a method's parameters are wrong", "WS-PARAM-001"],
    [
      "36000: an unexpected error of the server",
      testNamed(shownIn.rpcFaults, "is a request's error, and the next request is answered"),
      testNamed(shownIn.errorTable, "the errors > have the specified status and code")
    ],
    ["A request error is `{code, error}`", "WS-RPC-001", testNamed(shownIn.errorTable, "the errors > have the specified status and code")],
    ["An execution error has `_tag` `FailedExecutionResponse` and `data`, with logs on request", "WS-EXEC-004"],
    ["`feed.stop` of an unknown feed is a not found error", "WS-PARAM-013", "WS-FEED-005"],
    ["Malformed frames give no result and affect no other connection", "WS-FRAME-001", "WS-LOAD-001"]
  ]
}
