/** Clauses of the decisions D22 to D46: execution, credits, feeds, example programs, versions. */
import type { ClauseSection } from "./clause.ts"
import { shownIn } from "./shownIn.ts"
import { testNamed } from "./testEvidence.ts"

/** D22 to D30, D44, D45: how programs are run. */
export const executionDecisions: ClauseSection = {
  title: "Decisions D22 to D30, D44, D45: execution",
  clauses: [
    [
      "D22: drId, result id and signature are the public network's",
      "REST-EXEC-002", "REST-EXEC-011",
      testNamed(shownIn.protocolVectors, "golden data > responses of the public network: drId, result id, gas and recovered signer"),
      testNamed(shownIn.solidity, "responses of our own service > are accepted, failed runs too, whatever the payload field is called")
    ],
    [
      "D22: `blockTimestamp` grows for each drId, across restarts",
      "REST-EXEC-004",
      testNamed(shownIn.sqlStores, "reserved timestamps of a drId only grow, 100 at once and with a clock put back"),
      testNamed(shownIn.sqlRestart, "has everything")
    ],
    [
      "D22: the signed exit code is a byte and no failure is signed as success",
      "REST-FAIL-004",
      testNamed(shownIn.dataResultId, "signedExitCode > keeps a byte and makes everything else 255, never 0")
    ],
    [
      "D22: 65 bytes r, s, v with low s",
      "REST-EXEC-011",
      testNamed(shownIn.resultSignature, "recoverSigner > refuses the twin with the high s, which verifiers on chains refuse too")
    ],
    [
      "D23: a failed execution phase skips the tally; else the tally decides; gas is the sum",
      "REST-FAIL-002", "REST-FAIL-003", "REST-EXEC-010",
      testNamed(shownIn.execution, "both phases > make one signed result: the tally's word, the sum of the gas")
    ],
    [
      "D24: several executors, filters, reveals and consensus",
      testNamed(shownIn.replication, "several executors > are shown to the tally with their outliers, in their order"),
      testNamed(shownIn.replication, "the tally does not run when > no value has two thirds behind it"),
      testNamed(shownIn.consensus, "reachConsensus > by mode: the values that occur most often"),
      testNamed(shownIn.consensusFilter, "readConsensusFilter > reads the bytes that the operator's page shows")
    ],
    [
      "D25: gas and exit codes to the unit, on every repeat",
      "REST-FAIL-005", "REST-FAIL-006", "REST-FAIL-007",
      testNamed(shownIn.vmVectors, "the golden cases > %s holds")
    ],
    [
      "D25: a run replays from its tape to the same outcome",
      testNamed(shownIn.vmDriver, "the golden cases, replayed in the workers > %s"),
      testNamed(shownIn.vmPass, "a pass > does not accept a tape whose call differs in one byte")
    ],
    [
      "D25: what programs may be made of, in both phases",
      testNamed(shownIn.vmCheck, "the check of a program > finds %s %s for execution and %s for tally")
    ],
    [
      "D25: what programs read of the answers to their requests",
      testNamed(shownIn.vmPromise, "a promise > is the JSON of the bytes it holds"),
      testNamed(shownIn.vmVectors, "the golden cases that reach out > %s replays to the same end")
    ],
    [
      "D26: the environment of both phases, in order",
      "REST-EXEC-013",
      testNamed(shownIn.phaseInputs, "execPhaseInputs > gives the network's list in its order, then the chain id, and nothing of a last result that there is not"),
      testNamed(shownIn.phaseInputs, "tallyPhaseInputs > gives the network's list, sorted by name")
    ],
    [
      "D26: an injected last result, which changes no drId",
      "REST-LAST-008", "WS-EXEC-007",
      testNamed(shownIn.lastResult, "injectLastResult > shows the next run the last result or the last success, in the order that programs expect")
    ],
    [
      "D27: `returnLastResult`: only good results, only young enough, without charge, marked",
      "REST-LAST-001", "REST-LAST-004", "REST-LAST-006",
      testNamed(shownIn.responseCache, "a remembered result > %s?%s is given again with the same bytes, an age and a request id of its own")
    ],
    [
      "D27: ages go on counting when the wall clock is set, and what comes from the future is old",
      testNamed(shownIn.resultAges, "the age of a result goes on counting when the wall clock has jumped forward and back"),
      testNamed(shownIn.resultAges, "a result from the future that another process made counts as old")
    ],
    [
      "D27: refresh in the background, by option and by profile",
      testNamed(shownIn.lastResult, "the background refresh > runs and charges behind the answer, so that the next one is newer"),
      testNamed(shownIn.lastResult, "the background refresh > is off where nobody asked for it")
    ],
    [
      "D27: the public network's profile answers with its fields, to the byte",
      testNamed(shownIn.publicNetworkView, "the public network's profile > writes request, result and signature of a recorded response to the byte"),
      testNamed(shownIn.exampleAnswers, "$name > has the network's members in %s, compact and short")
    ],
    [
      "D28: every completed run is stored, by project and the four values",
      "REST-LAST-007", "REST-STORED-006",
      testNamed(shownIn.lastResultKey, "lastResultKeyOf > tells keys apart whose parts join to the same text"),
      testNamed(shownIn.memoryLaws, "the last result is the newest of its request, with exit code 0 or whatever it was")
    ],
    ["D29: inputs of 256 KiB, bodies of 2 MiB", "REST-INPUT-010", "REST-ERROR-010"],
    [
      "D29: the numbers of every limit, and of the gas limits of D22",
      testNamed(shownIn.decidedNumbers, "D22: the gas limits of a project that was given none"),
      testNamed(shownIn.decidedNumbers, "D29: the limits of a run and of a request")
    ],
    [
      "D29: the wall clock ends a run, charged for its last finished pass or its workers' time, whichever is more",
      "REST-FAIL-006",
      testNamed(shownIn.vmRuntime, "the wall clock > ends a %s phase that gas does not, and the next run is served"),
      testNamed(shownIn.charging, "a phase that the clock ended > pays for the workers' time, within its gas limit; one that ended by itself does not")
    ],
    [
      "D29: limits of logs, results and programs",
      testNamed(shownIn.vmEnding, "output > is cut at a whole character in execution"),
      testNamed(shownIn.vmEnding, "output > and a result above its limit is withheld in execution with exit code 255, its gas kept"),
      testNamed(shownIn.vmCheck, "the check of a program > refuses a program that is too large")
    ],
    [
      "D29: limits of a project's own",
      testNamed(shownIn.projectChanges, "the next REST request > obeys a changed usage limit and changed limits of its runs"),
      testNamed(shownIn.projectSettings, "changedSettings > changes what is named and nothing else")
    ],
    [
      "D30: outbound requests reach public addresses only, at every redirect",
      testNamed(shownIn.addressPolicy, "isPublicAddress > %s is refused"),
      testNamed(shownIn.httpFetchLive, "a redirect > to a private address, down to http or to another scheme is refused"),
      testNamed(shownIn.hostileUrls, "the corpus of ${…} URLs > direct: %j"),
      testNamed(shownIn.hostileUrls, "the corpus of ${…} URLs > as a redirect: %j")
    ],
    [
      "D30: allow-list, stand-ins and headers per host",
      testNamed(shownIn.httpFetchLive, "a request > outside the allow-list does not go out"),
      testNamed(shownIn.httpFetchLive, "a request > carries the operator's headers to their host only, above the program's"),
      testNamed(shownIn.headerPolicy, "outgoing headers: the framing above the operator's above the program's above ours")
    ],
    [
      "D44: storage per project and program, written with a good run, replayed from the tape",
      testNamed(shownIn.keptValues, "a program finds what its last good run kept, each project for itself"),
      testNamed(shownIn.keptValues, "what a failed run wrote is forgotten"),
      testNamed(shownIn.sqlStores, "a run's writes are kept with its charge, once, or not at all")
    ],
    [
      "D45: the verdict on a module is that of the engine, and its cost of compiling is bounded before one sees it",
      testNamed(shownIn.vmVerdict, "the verdict on a module is that of the engine > for golden modules with bytes changed"),
      testNamed(shownIn.vmVerdict, "code that is never reached > is refused when it %s"),
      testNamed(shownIn.vmCompileCost, "refused before compiling > %s")
    ],
    [
      "Programs are deployed by command line or by an embedder's code; no endpoint deploys one",
      testNamed(shownIn.projectLife, "a project's life by command line on ${…} > on SQLite"),
      testNamed(shownIn.memoryLaws, "a program comes back under its id, also when it was stored twice"),
      testNamed(shownIn.openApi, "the OpenAPI document > has every route of the contract and no other")
    ]
  ]
}

/** D31 to D34: credits and retries. */
export const creditDecisions: ClauseSection = {
  title: "Decisions D31 to D34: credits",
  clauses: [
    [
      "D31: base, begun gas and data proxy fees, in whole credits",
      "REST-SHOW-007", "REST-SHOW-008",
      testNamed(shownIn.price, "priceOf > is the sum of its parts, and a begun credit of gas counts whole"),
      testNamed(shownIn.decidedNumbers, "D31, D32: the price list, and what a run of the default limits holds")
    ],
    [
      "D31: data proxies are paid for good answers only, within the run's budget",
      testNamed(shownIn.proxiedFetch, "a call that fails is told to the program, and costs nothing > of a proxy with the fault %s"),
      testNamed(shownIn.proxiedFetch, "the budget of a run > ends with the call that it does not cover, which does not go out; those before are paid"),
      testNamed(shownIn.vmProxyCalls, "the fees on a tape > are those of answers of 200 to 299, by proxy and by the fee of that moment"),
      testNamed(shownIn.dataProxyOperator, "a registered proxy is asked and paid, also after a restart; one that is changed costs its new fee")
    ],
    [
      "D32: the worst case is held, the true price posted, the rest returned",
      "REST-SHOW-007", "REST-QUOTE-004",
      testNamed(shownIn.charging, "a run that ends > is settled once by its gas, and the rest of the hold is returned"),
      testNamed(shownIn.credits, "posting and returning > gives back what is not posted, to the credit")
    ],
    [
      "D32: a run that has started is finished and charged whatever its client does",
      "WS-FEED-009", "WS-LOAD-002",
      testNamed(shownIn.charging, "a client that goes > loses the answer only: the run is finished, charged and stored"),
      testNamed(shownIn.lifecycle, "a client that goes > gets no answer, and its run is finished and charged")
    ],
    [
      "D32: holds of a crash are voided, and none is lost",
      testNamed(shownIn.sqlCrash, "after %i charges: the books are sound and every hold is resolved")
    ],
    [
      "D33: remaining is granted less used less held",
      "REST-VERIFY-001", "REST-SHOW-007",
      testNamed(shownIn.balance, "remainingOf > is what was granted less what is used and held")
    ],
    [
      "D34: an `Idempotency-Key` runs once and answers the same",
      "REST-RETRY-001", "REST-RETRY-002", "REST-RETRY-005",
      testNamed(shownIn.idempotency, "the first answer > is given again to the same request, however it is written, and is charged once")
    ],
    ["D34: another request under the key is 422, a malformed key 400", "REST-RETRY-003", "REST-RETRY-004"],
    [
      "D34: refusals are not kept, projects do not meet, GET takes no notice",
      "REST-RETRY-006", "REST-RETRY-007", "REST-RETRY-008"
    ],
    [
      "D34: the claim outlives its process on a shared database",
      testNamed(shownIn.retries, "a claim > of a silent process is taken over after its lease, under the id of its run"),
      testNamed(shownIn.sqlRetries, "answers the run of a process killed between the charge and the answer, charging nothing")
    ]
  ]
}

/** D35 to D43, D46: feeds, example programs, versions. */
export const feedDecisions: ClauseSection = {
  title: "Decisions D35 to D43, D46: feeds, example programs, versions",
  clauses: [
    [
      "D35: the first run starts right after the reply",
      "WS-FEED-001",
      testNamed(shownIn.feed, "the first run > of %s begins, and may end, before the start of the feed returns")
    ],
    [
      "D36: `FIXED` is a grid; points passed are dropped; no overlap, no burst, no drift",
      "WS-MODE-001",
      testNamed(shownIn.schedule, "FIXED > is on the grid unless the run before took longer than a period"),
      testNamed(shownIn.schedule, "FIXED > starts after the start and not before the end of the run before, and is never idle for a whole period"),
      testNamed(shownIn.feeds, "any number of feeds on any number of connections > keep the laws exactly, whatever runs, stops, disconnects and the wall clock do")
    ],
    [
      "D37: `SEQUENTIAL` is the end plus the period",
      "WS-MODE-002",
      testNamed(shownIn.schedule, "examples of a feed of 100 ms that began at 1,000 > SEQUENTIAL: run %i from %i to %i is followed at %i")
    ],
    [
      "D38: `PARALLEL` is the first start plus n periods; beyond the overlap a start is a failed run",
      "WS-MODE-003",
      testNamed(shownIn.feed, "after the process stood still > PARALLEL refuses what would overlap, with a result for each"),
      testNamed(shownIn.feeds, "any number of feeds on any number of connections > keep the laws exactly, whatever runs, stops, disconnects and the wall clock do")
    ],
    [
      "D39: one result a run, with `seq`, `scheduledAt`, `startedAt`; none after the stop",
      "WS-FEED-002", "WS-FEED-005",
      testNamed(shownIn.serviceFeeds, "arbitrary traffic over several connections is served by the laws, from inside and from the wire")
    ],
    [
      "D40: no failure ends a feed, a fault of ours neither",
      "WS-FEED-003", "WS-FEED-004", "WS-CREDIT-003",
      testNamed(shownIn.rpcFaults, "is a feed's result, run after run")
    ],
    [
      "D41: periods from 10 ms to 24 h, 50 feeds a connection, 20 connections a key",
      "WS-RPC-001", "WS-FEED-007", "WS-CONN-004",
      testNamed(shownIn.decidedNumbers, "D38, D41: the limits of connections and feeds")
    ],
    [
      "D41: ping and pong; slow readers are closed with 1013, others untouched",
      "WS-LIVE-002", "WS-LIVE-005", "WS-LIVE-006",
      testNamed(shownIn.outputPressure, "any history is judged by the time above the soft limit without a pause")
    ],
    [
      "D41: a revoked or expired key closes with 1008, draining with 1001",
      "WS-LIVE-003", "WS-LIVE-004", "WS-END-001",
      testNamed(shownIn.connections, "the end of the service says goodbye to each client once, and waits for the answer")
    ],
    [
      "D41: the same over both adapters",
      testNamed(shownIn.expressWs, "passes every WebSocket audit"),
      testNamed(shownIn.bunWs, "passes every WebSocket audit")
    ],
    [
      "D42: the equity session's sessions, weights, staleness and arithmetic",
      testNamed(shownIn.equitySession, "the result > mixes each session with the one before it, the first with the last"),
      testNamed(shownIn.equitySession, "a stale price > gives way to the newest of the four, whose time is then the result's"),
      testNamed(shownIn.equitySession, "the whole result > is the model's, to the last byte")
    ],
    [
      "D43: the metals index's and the crypto price's rules, refusals and rounding",
      testNamed(shownIn.metalsIndex, "the arithmetic > is the model's, in both formats, to the last digit"),
      testNamed(shownIn.metalsIndex, "the index refuses > %s"),
      testNamed(shownIn.cryptoPrice, "the arithmetic > is the model's, in both formats, to the last digit"),
      testNamed(shownIn.cryptoPrice, "the execution phase refuses > %s"),
      testNamed(shownIn.upstreamFaults, "%s > fails clearly when the market shows %s")
    ],
    [
      "D46: version 1 grows by addition: unknown members are ignored; there is no `/ws/v2`",
      "WS-RPC-005", "REST-PARAM-006",
      testNamed(shownIn.lifecycle, "paths > that are not the service's are left alone, whatever the method")
    ]
  ]
}
