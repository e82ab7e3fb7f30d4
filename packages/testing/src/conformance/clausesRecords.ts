/** Clauses about what the service does and about the records that it returns. */
import type { ClauseSection } from "./clause.ts"
import { shownIn } from "./shownIn.ts"
import { testNamed } from "./testEvidence.ts"

/** What the service does. */
export const serviceClauses: ClauseSection = {
  title: "What the service does",
  clauses: [
    [
      "Executes Oracle Programs that are deployed under a hex program id",
      "REST-EXEC-001",
      testNamed(shownIn.hexId, "readHexId > normalizes every form to lowercase without 0x, and is idempotent")
    ],
    [
      "An execution phase, then a tally phase",
      "REST-EXEC-008",
      "REST-FAIL-002",
      testNamed(shownIn.execution, "both phases > run with the project's gas limits, their own program and the other's outcome")
    ],
    ["The response carries result, gas used, exit code and a signature", "REST-EXEC-003", "REST-EXEC-011"],
    [
      "A drId identifies one combination of both programs and both inputs",
      "REST-EXEC-006",
      "REST-EXEC-008",
      testNamed(shownIn.protocolVectors, "golden data > drId"),
      testNamed(shownIn.protocolVectors, "dataRequestIdOf > depends on every byte of every input")
    ],
    ["One-shot execution over REST and over WebSocket", "REST-EXEC-001", "WS-EXEC-001"],
    ["Periodic execution over WebSocket, results pushed as `feed.result`", "WS-FEED-001", "WS-FEED-002"],
    ["A stored result can be returned instead of executing", "REST-LAST-001", "REST-STORED-001", "WS-EXEC-006"],
    [
      "A key belongs to a project inside an organization",
      "REST-VERIFY-001",
      testNamed(shownIn.projectLife, "a project's life by command line on ${…} > on SQLite")
    ],
    ["A project has credits, usage limits, gas limits and an allow-list", "REST-PROJECT-001", "REST-PROJECT-002"],
    ["Past executions can be queried by drId", "REST-HIST-001"],
    ["Returns whether a data proxy key is registered, its name and fee", "REST-PROXY-002"],
    [
      "A price per execution, charged to the project's credits",
      "REST-SHOW-007",
      testNamed(shownIn.price, "priceOf > is the sum of its parts, and gas is rounded up to whole credits")
    ],
    ["Concurrent executions each get their own result", "REST-EXEC-012", "WS-RPC-004"],
    [
      "No project ever sees data of another",
      "REST-LAST-007",
      "REST-STORED-006",
      "REST-HIST-006",
      testNamed(shownIn.twoTenants, "two tenants > each see what they would see alone")
    ],
    [
      "Interactive documentation under `/docs`",
      "REST-DOCS-001",
      testNamed(shownIn.docs, "/docs > is a page without a key that shows the document and loads nothing from elsewhere")
    ]
  ]
}

/** The execute response with all its members. */
export const executeResponseClauses: ClauseSection = {
  title: "Execute response",
  clauses: [
    ["`_tag` is `ExecuteResponse` on success", "REST-EXEC-001", "WS-EXEC-001"],
    [
      "`data` holds `id`, `requestId`, `dataRequest`, `dataResult`, `signature`, `result`, in this order",
      "REST-EXEC-001",
      testNamed(shownIn.executionView, "nesting and order of keys (D1) > has everything inside data, in the network's order")
    ],
    ["`data.id` is a UUID, unique to this execution", "REST-EXEC-004", "REST-EXEC-001"],
    ["`data.requestId` equals `id`", "REST-EXEC-001"],
    [
      "`signature` is hex without 0x and verifies with the key of `GET /info`",
      "REST-EXEC-011",
      testNamed(shownIn.verify, "responses of the public network > $expect.drId: accepted with its ids and its signer")
    ],
    ["`result` is a copy: `0x` hex by default, a JSON value with `encoding=json`", "REST-SHOW-001", "REST-SHOW-003"],
    ["`execute` with debug information: result, gasUsed, stdout, stderr, exitCode", "REST-SHOW-004", "WS-EXEC-002"],
    ["`tally` with debug information: the same fields", "REST-SHOW-004", "WS-EXEC-002"],
    [
      "`dataRequest.consensusFilter` is hex",
      "REST-FIELD-001",
      "REST-EXEC-002",
      testNamed(shownIn.documentedAnswers, "generated requests > are answered as documented, 5,000 times out of 5,000")
    ],
    [
      "`dataRequest.execGasLimit` is a decimal text, the project's",
      "REST-FIELD-002",
      "REST-EXEC-002",
      testNamed(shownIn.projectChanges, "the next REST request > obeys changed gas limits: in the VM, in the signed request, in the hold")
    ],
    ["`dataRequest.execInputs` is the hex of the input bytes", "REST-FIELD-003", "REST-EXEC-002", "REST-INPUT-001"],
    ["`dataRequest.execProgramId` is lowercase hex", "REST-FIELD-004", "REST-EXEC-002", "REST-EXEC-009"],
    ["`dataRequest.gasPrice` is a decimal text", "REST-FIELD-005", "REST-EXEC-002"],
    ["`dataRequest.memo` is a text", "REST-FIELD-006", "REST-EXEC-002"],
    [
      "`dataRequest.replicationFactor` is an integer",
      "REST-FIELD-007",
      "REST-EXEC-002",
      testNamed(shownIn.replication, "several executors > are part of what is identified and signed")
    ],
    [
      "`dataRequest.tallyGasLimit` is a decimal text, the project's",
      "REST-FIELD-008",
      "REST-EXEC-002",
      testNamed(shownIn.projectChanges, "the next REST request > obeys changed gas limits: in the VM, in the signed request, in the hold")
    ],
    ["`dataRequest.tallyInputs` is hex and may be empty", "REST-FIELD-009", "REST-EXEC-002", "REST-EXEC-007"],
    ["`dataRequest.tallyProgramId` equals `execProgramId` when none is given", "REST-FIELD-010", "REST-EXEC-008"],
    ["`dataRequest.version` is a text", "REST-FIELD-011", "REST-EXEC-002"],
    ["`dataResult.drId` is 64 hex characters", "REST-FIELD-012", "REST-EXEC-003", "REST-EXEC-011"],
    ["`dataResult.gasUsed` is the total gas as a decimal text", "REST-FIELD-013", "REST-EXEC-003", "REST-EXEC-010"],
    ["`dataResult.blockHeight` is a decimal text", "REST-FIELD-014", "REST-EXEC-003"],
    ["`dataResult.blockTimestamp` is a decimal text and increases with every run", "REST-FIELD-015", "REST-EXEC-004"],
    [
      "`dataResult.consensus` is a boolean",
      "REST-FIELD-016",
      "REST-EXEC-003",
      testNamed(shownIn.replication, "the tally does not run when > no value has a majority of two thirds")
    ],
    ["`dataResult.exitCode` is 0 for success, else the program failed", "REST-FIELD-017", "REST-EXEC-003", "REST-FAIL-001"],
    ["`dataResult.version` is a text", "REST-FIELD-018", "REST-EXEC-003"],
    ["`dataResult.result` is hex without 0x, whatever the encoding", "REST-FIELD-019", "REST-EXEC-003"],
    ["`dataResult.paybackAddress` may be empty", "REST-FIELD-020", "REST-EXEC-003"],
    ["`dataResult.servicePayload` may be empty", "REST-FIELD-021", "REST-EXEC-003"]
  ]
}

/** The failed execution record. */
export const failedExecutionClauses: ClauseSection = {
  title: "Failed execution record",
  clauses: [
    ["`_tag` is `FailedExecutionResponse`", "REST-FAIL-001", "WS-EXEC-004"],
    [
      "`data` has the execution's information, and its logs if debug information was requested",
      "REST-FAIL-002",
      "REST-FAIL-009",
      "REST-FAIL-003",
      "WS-EXEC-004"
    ]
  ]
}

/** The records about the account, the service and data proxies. */
export const recordClauses: ClauseSection = {
  title: "Other records",
  clauses: [
    ["Verify: `apiKeyId`", "REST-FIELD-022", "REST-VERIFY-001", "WS-CONN-001"],
    [
      "Verify: `apiKeyExpiresAt`, an ISO date or null",
      "REST-FIELD-023",
      "REST-VERIFY-001",
      testNamed(shownIn.keyRecord, "checkedExpiry > accepts only what a date can represent")
    ],
    ["Verify: `organizationId`, a UUID", "REST-FIELD-024", "REST-VERIFY-001"],
    ["Verify: `organizationSlug`", "REST-FIELD-025", "REST-VERIFY-001"],
    ["Verify: `projectId`, a UUID", "REST-FIELD-026", "REST-VERIFY-001"],
    [
      "Verify: `remainingCreditsSnapshot`, a decimal text",
      "REST-FIELD-027",
      "REST-VERIFY-001",
      testNamed(shownIn.balance, "remainingOf > is granted minus used minus held")
    ],
    [
      "Verify: `usedCreditsSnapshot`, a decimal text",
      "REST-FIELD-028",
      "REST-VERIFY-001",
      testNamed(shownIn.balance, "remainingOf > is granted minus used minus held")
    ],
    ["Data proxy: `registered`, a boolean", "REST-PROXY-001", "REST-PROXY-002"],
    ["Data proxy: `name`", "REST-PROXY-001", "REST-PROXY-002"],
    ["Data proxy: `publicKey`, hex, as in the request", "REST-PROXY-001", "REST-PROXY-002"],
    ["Data proxy: `fee`, a decimal text", "REST-PROXY-001", "REST-PROXY-002"],
    ["Project: credits, usage limits, gas limits, allow-list", "REST-PROJECT-001", "REST-PROJECT-002"],
    ["Report entry: the result and metadata of a past execution", "REST-HIST-001"]
  ]
}

/** The example programs. */
export const exampleProgramClauses: ClauseSection = {
  title: "Example Oracle Programs",
  clauses: [
    [
      "Equity session: `session_ids`, texts of 0x and 64 hex characters, one per session",
      testNamed(shownIn.equitySession, "the program refuses > %s")
    ],
    ["Equity session: `weights`, numbers, one for each session id", testNamed(shownIn.equitySession, "the program refuses > %s")],
    [
      "Equity session: `composite_rate` is a number",
      testNamed(shownIn.equitySession, "the result > has every field, in the documented order"),
      testNamed(shownIn.goldenCases, "the virtual machine gives > $program: $name")
    ],
    [
      "Equity session: `price` is `{ mantissa: text, expo: integer }`",
      testNamed(shownIn.equitySession, "the result > has every field, in the documented order"),
      testNamed(shownIn.goldenCases, "the virtual machine gives > $program: $name")
    ],
    ["Equity session: `active_session`", testNamed(shownIn.equitySession, "the session > changes on the second in the week of %s")],
    [
      "Equity session: `weights` of the result, `session` and `reference`",
      testNamed(shownIn.equitySession, "the result > mixes each session with the previous one, the first with the last")
    ],
    [
      "Equity session: `timestamp` in ISO 8601, UTC",
      testNamed(shownIn.equitySession, "the result > has every field, in the documented order"),
      testNamed(shownIn.goldenCases, "the virtual machine gives > $program: $name")
    ],
    [
      "Equity session: `sources_used`, addresses",
      testNamed(shownIn.equitySession, "the result > has every field, in the documented order"),
      testNamed(shownIn.goldenCases, "the virtual machine gives > $program: $name")
    ],
    [
      "Equity session: `was_stale`",
      testNamed(shownIn.equitySession, "a stale price > is one older than 60 seconds"),
      testNamed(shownIn.equitySession, "a stale price > is distinguished from a closed market")
    ],
    [
      "Equity session: pre-market 04:00 to 09:30 US Eastern",
      testNamed(shownIn.equitySession, "the session > changes on the second in the week of %s")
    ],
    [
      "Equity session: regular hours 09:30 to 16:00",
      testNamed(shownIn.equitySession, "the session > changes on the second in the week of %s")
    ],
    [
      "Equity session: post-market 16:00 to 20:00",
      testNamed(shownIn.equitySession, "the session > changes on the second in the week of %s")
    ],
    [
      "Equity session: overnight 20:00 to 04:00 of the next day",
      testNamed(shownIn.equitySession, "the session > changes on the second in the week of %s")
    ],
    [
      "Metals index: `weights` of gold, silver, platinum, palladium, 25 each by default",
      testNamed(shownIn.metalsIndex, "the index > weighs the four metals equally by default, with {} as with no inputs")
    ],
    [
      "Metals index: the weights sum to 100",
      testNamed(shownIn.metalsIndex, "the index > accepts a single metal, and any weights that sum to 100"),
      testNamed(shownIn.metalsIndex, "the index refuses > %s")
    ],
    [
      "Metals index: `output_format` omitted is a uint256, `json` is `{ index }`",
      testNamed(shownIn.metalsIndex, "the arithmetic > equals the model's, in both formats, to the last digit"),
      testNamed(shownIn.goldenCases, "the virtual machine gives > $program: $name")
    ],
    [
      "Metals index: with an empty object the defaults apply",
      testNamed(shownIn.metalsIndex, "the index > weighs the four metals equally by default, with {} as with no inputs")
    ],
    [
      "Crypto price: `id`, 64 hex characters with or without 0x, required",
      testNamed(shownIn.cryptoPrice, "the execution phase > asks the price service once, for the normalized feed id"),
      testNamed(shownIn.cryptoPrice, "the execution phase refuses > %s")
    ],
    [
      "Crypto price: `output_format` omitted is a uint256, `json` is `{ price }`",
      testNamed(shownIn.cryptoPrice, "the execution phase > answers an EVM uint256 of 10^-8 dollars"),
      testNamed(shownIn.cryptoPrice, "the execution phase > answers JSON when asked"),
      testNamed(shownIn.goldenCases, "the virtual machine gives > $program: $name")
    ],
    [
      "uint256: 32 bytes big-endian, the value times 10^8, 64 hex characters in `dataResult.result`",
      testNamed(shownIn.goldenCases, "the virtual machine gives > $program: $name"),
      testNamed(shownIn.exampleAnswers, "$name > has the network's members in %s, compact and short")
    ]
  ]
}
