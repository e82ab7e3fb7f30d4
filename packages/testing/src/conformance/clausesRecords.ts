/** Clauses about what the service does and about the records that it answers. */
import type { ClauseSection } from "./clause.ts"
import { shownIn } from "./shownIn.ts"

/** What the service does. */
export const serviceClauses: ClauseSection = {
  title: "What the service does",
  clauses: [
    ["Executes Oracle Programs that are deployed under a hex program id", "REST-EXEC-001", shownIn.hexId],
    ["An execution phase, then a tally phase", "REST-EXEC-008", "REST-FAIL-002", shownIn.execution],
    ["The response carries result, gas used, exit code and a signature", "REST-EXEC-003", "REST-EXEC-011"],
    [
      "A drId stands for one combination of both programs and both inputs",
      "REST-EXEC-006", "REST-EXEC-008", shownIn.protocolVectors
    ],
    ["One-shot execution over REST and over WebSocket", "REST-EXEC-001", "WS-EXEC-001"],
    ["Periodic execution over WebSocket, results pushed as `feed.result`", "WS-FEED-001", "WS-FEED-002"],
    ["A stored result can be returned instead of executing", "REST-LAST-001", "REST-STORED-001", "WS-EXEC-006"],
    ["A key belongs to a project inside an organization", "REST-VERIFY-001", shownIn.projectLife],
    ["A project has credits, usage limits, gas limits and an allow-list", "REST-PROJECT-001", "REST-PROJECT-002"],
    ["Past executions can be queried by drId", "REST-HIST-001"],
    ["Says whether a data proxy key is registered, its name and fee", "REST-PROXY-002"],
    ["A price per execution, taken from the project's credits", "REST-SHOW-007", shownIn.price],
    ["Many executions at once each get their own result", "REST-EXEC-012", "WS-RPC-004"],
    [
      "No project ever sees anything of another",
      shownIn.twoTenants, "REST-LAST-007", "REST-STORED-006", "REST-HIST-006"
    ],
    ["Interactive documentation under `/docs`", "REST-DOCS-001", shownIn.docs]
  ]
}

/** The execute response with everything in it. */
export const executeResponseClauses: ClauseSection = {
  title: "Execute response",
  clauses: [
    ["`_tag` is `ExecuteResponse` on success", "REST-EXEC-001", "WS-EXEC-001"],
    [
      "`data` holds `id`, `requestId`, `dataRequest`, `dataResult`, `signature`, `result`, in this order",
      "REST-EXEC-001", shownIn.executionView
    ],
    ["`data.id` is a UUID, unique to this execution", "REST-EXEC-001", "REST-EXEC-004"],
    ["`data.requestId` equals `id`", "REST-EXEC-001"],
    ["`signature` is hex without 0x and verifies with the key of `GET /info`", "REST-EXEC-011", shownIn.verify],
    ["`result` is a copy: `0x` hex by default, a JSON value with `encoding=json`", "REST-SHOW-001", "REST-SHOW-003"],
    ["`execute` with debug information: result, gasUsed, stdout, stderr, exitCode", "REST-SHOW-004", "WS-EXEC-002"],
    ["`tally` with debug information: the same fields", "REST-SHOW-004", "WS-EXEC-002"],
    ["`dataRequest.consensusFilter` is hex", "REST-EXEC-002", shownIn.documentedAnswers],
    ["`dataRequest.execGasLimit` is a decimal text, the project's", "REST-EXEC-002", shownIn.projectChanges],
    ["`dataRequest.execInputs` is the hex of the input bytes", "REST-EXEC-002", "REST-INPUT-001"],
    ["`dataRequest.execProgramId` is lowercase hex", "REST-EXEC-002", "REST-EXEC-009"],
    ["`dataRequest.gasPrice` is a decimal text", "REST-EXEC-002"],
    ["`dataRequest.memo` is a text", "REST-EXEC-002"],
    ["`dataRequest.replicationFactor` is an integer", "REST-EXEC-002", shownIn.replication],
    ["`dataRequest.tallyGasLimit` is a decimal text, the project's", "REST-EXEC-002", shownIn.projectChanges],
    ["`dataRequest.tallyInputs` is hex and may be empty", "REST-EXEC-002", "REST-EXEC-007"],
    ["`dataRequest.tallyProgramId` equals `execProgramId` when none is given", "REST-EXEC-008"],
    ["`dataRequest.version` is a text", "REST-EXEC-002"],
    ["`dataResult.drId` is 64 hex characters", "REST-EXEC-003", "REST-EXEC-011"],
    ["`dataResult.gasUsed` is the total gas as a decimal text", "REST-EXEC-003", "REST-EXEC-010"],
    ["`dataResult.blockHeight` is a decimal text", "REST-EXEC-003"],
    ["`dataResult.blockTimestamp` is a decimal text and grows with every run", "REST-EXEC-004"],
    ["`dataResult.consensus` is a boolean", "REST-EXEC-003", shownIn.replication],
    ["`dataResult.exitCode` is 0 for success, else the program failed", "REST-EXEC-003", "REST-FAIL-001"],
    ["`dataResult.version` is a text", "REST-EXEC-003"],
    ["`dataResult.result` is hex without 0x, whatever the encoding", "REST-EXEC-003"],
    ["`dataResult.paybackAddress` may be empty", "REST-EXEC-003"],
    ["`dataResult.servicePayload` may be empty", "REST-EXEC-003"]
  ]
}

/** The failed execution record. */
export const failedExecutionClauses: ClauseSection = {
  title: "Failed execution record",
  clauses: [
    ["`_tag` is `FailedExecutionResponse`", "REST-FAIL-001", "WS-EXEC-004"],
    [
      "`data` has the execution's information, and its logs when debug information was asked for",
      "REST-FAIL-002", "REST-FAIL-003", "WS-EXEC-004"
    ]
  ]
}

/** The records about the account, the service and its surroundings. */
export const recordClauses: ClauseSection = {
  title: "Other records",
  clauses: [
    ["Verify: `apiKeyId`", "REST-VERIFY-001", "WS-CONN-001"],
    ["Verify: `apiKeyExpiresAt`, an ISO date or null", "REST-VERIFY-001", shownIn.keyRecord],
    ["Verify: `organizationId`, a UUID", "REST-VERIFY-001"],
    ["Verify: `organizationSlug`", "REST-VERIFY-001"],
    ["Verify: `projectId`, a UUID", "REST-VERIFY-001"],
    ["Verify: `remainingCreditsSnapshot`, a decimal text", "REST-VERIFY-001", shownIn.balance],
    ["Verify: `usedCreditsSnapshot`, a decimal text", "REST-VERIFY-001", shownIn.balance],
    ["Data proxy: `registered`, a boolean", "REST-PROXY-001", "REST-PROXY-002"],
    ["Data proxy: `name`", "REST-PROXY-001", "REST-PROXY-002"],
    ["Data proxy: `publicKey`, hex, as it was asked", "REST-PROXY-001", "REST-PROXY-002"],
    ["Data proxy: `fee`, a decimal text", "REST-PROXY-001", "REST-PROXY-002"],
    ["Project: credits, usage limits, gas limits, allow-list", "REST-PROJECT-001", "REST-PROJECT-002"],
    ["Report entry: the result and metadata of a past execution", "REST-HIST-001"]
  ]
}

/** The example programs. */
export const exampleProgramClauses: ClauseSection = {
  title: "Example Oracle Programs",
  clauses: [
    ["Equity session: `session_ids`, texts of 0x and 64 hex characters, one a session", shownIn.equitySession],
    ["Equity session: `weights`, numbers, one for each session id", shownIn.equitySession],
    ["Equity session: `composite_rate` is a number", shownIn.equitySession, shownIn.goldenCases],
    ["Equity session: `price` is `{ mantissa: text, expo: integer }`", shownIn.equitySession, shownIn.goldenCases],
    ["Equity session: `active_session`", shownIn.equitySession],
    ["Equity session: `weights` of the result, `session` and `reference`", shownIn.equitySession],
    ["Equity session: `timestamp` in ISO 8601, UTC", shownIn.equitySession, shownIn.goldenCases],
    ["Equity session: `sources_used`, addresses", shownIn.equitySession, shownIn.goldenCases],
    ["Equity session: `was_stale`", shownIn.equitySession],
    ["Equity session: pre-market 04:00 to 09:30 US Eastern", shownIn.equitySession],
    ["Equity session: regular hours 09:30 to 16:00", shownIn.equitySession],
    ["Equity session: post-market 16:00 to 20:00", shownIn.equitySession],
    ["Equity session: overnight 20:00 to 04:00 of the next day", shownIn.equitySession],
    ["Metals index: `weights` of gold, silver, platinum, palladium, 25 each by default", shownIn.metalsIndex],
    ["Metals index: the weights sum to 100", shownIn.metalsIndex],
    [
      "Metals index: `output_format` omitted is a uint256, `json` is `{ index }`",
      shownIn.metalsIndex, shownIn.goldenCases
    ],
    ["Metals index: with an empty object the defaults apply", shownIn.metalsIndex],
    ["Crypto price: `id`, 64 hex characters with or without 0x, required", shownIn.cryptoPrice],
    [
      "Crypto price: `output_format` omitted is a uint256, `json` is `{ price }`",
      shownIn.cryptoPrice, shownIn.goldenCases
    ],
    [
      "uint256: 32 bytes big-endian, the value times 10^8, 64 hex characters in `dataResult.result`",
      shownIn.goldenCases, shownIn.exampleAnswers
    ]
  ]
}
