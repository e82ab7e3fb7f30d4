/** Clauses of the decisions D22 to D30, D44 and D45: execution. */
import type { ClauseSection } from "./clause.ts"
import { shownIn } from "./shownIn.ts"
import { testNamed } from "./testEvidence.ts"

/** D22 to D30, D44, D45: how programs are run. */
export const executionDecisions: ClauseSection = {
  title: "Decisions D22 to D30, D44, D45: execution",
  clauses: [
    [
      "D22: drId, result id and signature are the public network's",
      "REST-EXEC-002",
      "REST-EXEC-011",
      testNamed(shownIn.protocolVectors, "golden data > responses of the public network: drId, result id, gas and recovered signer"),
      testNamed(shownIn.solidity, "responses of our own service > are accepted, failed runs too, whatever the payload field is called")
    ],
    [
      "D22: `blockTimestamp` grows for each drId, across restarts",
      "REST-EXEC-004",
      testNamed(shownIn.sqlStores, "the timestamps of 100 concurrent results of three servers whose clocks agree are all different"),
      testNamed(shownIn.sqlRestart, "has everything")
    ],
    [
      "D22: the signed exit code is a byte and no failure is signed as success",
      "REST-FAIL-004",
      testNamed(shownIn.dataResultId, "signedExitCode > keeps a byte and maps everything else to 255, never to 0")
    ],
    [
      "D22: 65 bytes r, s, v with low s",
      "REST-EXEC-011",
      testNamed(shownIn.resultSignature, "recoverSigner > refuses the equivalent signature with a high s, as on-chain verifiers do")
    ],
    [
      "D23: a failed execution phase skips the tally; else the tally determines the outcome; gas is the sum",
      "REST-FAIL-002",
      "REST-FAIL-003",
      "REST-EXEC-010",
      testNamed(shownIn.execution, "both phases > make one signed result: the tally's outcome, the sum of the gas")
    ],
    [
      "D24: several executors, filters, reveals and consensus",
      testNamed(shownIn.replication, "several executors > are passed to the tally with their outliers, in order"),
      testNamed(shownIn.replication, "the tally does not run when > no value has a majority of two thirds"),
      testNamed(shownIn.consensus, "reachConsensus > by mode: the values that occur most often"),
      testNamed(shownIn.consensusFilter, "readConsensusFilter > reads the bytes shown in OPERATING.md")
    ],
    [
      "D25: exact gas and exit codes, on every repeat",
      "REST-FAIL-005",
      "REST-FAIL-006",
      "REST-FAIL-007",
      testNamed(shownIn.vmVectors, "the golden cases > %s holds")
    ],
    [
      "D25: a run replays from its tape with the same outcome",
      testNamed(shownIn.vmDriver, "the golden cases, replayed in the workers > %s"),
      testNamed(shownIn.vmPass, "a pass > does not accept a tape whose call differs in one byte")
    ],
    [
      "D25: what a program's module may contain, in both phases",
      testNamed(shownIn.vmCheck, "the check of a program > finds %s %s for execution and %s for tally")
    ],
    [
      "D25: how programs read the answers to their requests",
      testNamed(shownIn.vmPromise, "a promise > is the JSON of the bytes it holds"),
      testNamed(shownIn.vmVectors, "the golden cases with requests > %s replays with the same ending")
    ],
    [
      "D26: the environment of both phases, in order",
      "REST-EXEC-013",
      testNamed(
        shownIn.phaseInputs,
        "execPhaseInputs > has the network's variables in order, then the chain id, and no last result if there is none"
      ),
      testNamed(shownIn.phaseInputs, "tallyPhaseInputs > has the network's variables, sorted by name")
    ],
    [
      "D26: an injected last result, which does not change the drId",
      "REST-LAST-008",
      "WS-EXEC-007",
      testNamed(
        shownIn.lastResult,
        "injectLastResult > passes the last result or the last success to the next run, in the order that programs expect"
      )
    ],
    [
      "D27: `returnLastResult`: only successful and recent enough results, without charge, marked",
      "REST-LAST-001",
      "REST-LAST-004",
      "REST-LAST-006",
      testNamed(shownIn.responseCache, "a cached result > %s?%s is given again with the same bytes, an age and a request id of its own")
    ],
    [
      "D27: ages do not depend on changes of the wall clock, and results from the future count as old",
      testNamed(shownIn.resultAges, "the age of a result counts up steadily when the wall clock jumps forward and back"),
      testNamed(shownIn.resultAges, "a result of another process that is dated in the future counts as old")
    ],
    [
      "D27: refresh in the background, by option and by profile",
      testNamed(shownIn.lastResult, "the background refresh > runs and charges in the background, so that the next answer is newer"),
      testNamed(shownIn.lastResult, "the background refresh > is off by default")
    ],
    [
      "D27: the public network's profile has exactly its fields",
      testNamed(
        shownIn.publicNetworkView,
        "the public network's profile > writes request, result and signature of a recorded response to the byte"
      ),
      testNamed(shownIn.exampleAnswers, "$name > has the network's members in %s, compact and short")
    ],
    [
      "D28: every completed run is stored, by project and the four values",
      "REST-LAST-010",
      "REST-STORED-010",
      "REST-HIST-008",
      "WS-FEED-012",
      "REST-LAST-007",
      "REST-STORED-006",
      testNamed(shownIn.lastResultKey, "lastResultKeyOf > distinguishes keys whose parts concatenate to the same text"),
      testNamed(shownIn.memoryLaws, "the last result is the newest of its request, with exit code 0 or with any")
    ],
    ["D29: inputs of 256 KiB, bodies of 2 MiB", "REST-INPUT-010", "REST-INPUT-012", "REST-ERROR-010"],
    [
      "D29: the numbers of every limit, and of the gas limits of D22",
      testNamed(shownIn.decidedNumbers, "D22: the default gas limits of a project"),
      testNamed(shownIn.decidedNumbers, "D29: the limits of a run and of a request")
    ],
    [
      "D29: the wall clock ends a run, charged for its last finished pass or its workers' time, whichever is more",
      "REST-FAIL-006",
      testNamed(
        shownIn.vmRuntime,
        "with each worker a %s: > the wall clock > ends a %s phase that gas does not, and the next run is served"
      ),
      testNamed(
        shownIn.charging,
        "a phase that the clock ended > pays for the workers' time, within its gas limit; one that ended by itself does not"
      )
    ],
    [
      "D29: limits of logs, results and programs",
      "REST-FAIL-010",
      testNamed(shownIn.vmEnding, "output > is cut at a whole character in execution"),
      testNamed(shownIn.vmEnding, "output > and a result above its limit is withheld in execution with exit code 255, with unchanged gas"),
      testNamed(shownIn.vmCheck, "the check of a program > refuses a program that is too large")
    ],
    [
      "D29: limits per project",
      testNamed(shownIn.projectChanges, "the next REST request > obeys a changed usage limit and changed limits of its runs"),
      testNamed(shownIn.projectSettings, "changedSettings > changes only what is named")
    ],
    [
      "D30: outbound requests reach public addresses only, at every redirect",
      testNamed(shownIn.addressPolicy, "isPublicAddress > %s is refused"),
      testNamed(shownIn.httpFetchLive, "a redirect > to a private address, down to http or to another scheme is refused"),
      testNamed(shownIn.hostileUrls, "the corpus of ${…} URLs > direct: %j"),
      testNamed(shownIn.hostileUrls, "the corpus of ${…} URLs > as a redirect: %j")
    ],
    [
      "D30: allow-list, overrides and headers per host",
      testNamed(shownIn.httpFetchLive, "a request > outside the allow-list is not sent"),
      testNamed(shownIn.httpFetchLive, "a request > has the operator's headers for their host only, which override the program's"),
      testNamed(
        shownIn.headerPolicy,
        "outgoing headers: framing overrides the operator's, which override the program's, which override ours"
      )
    ],
    [
      "D30: a project's own list of hosts",
      testNamed(
        shownIn.sharedHosts,
        "a project's own hosts > are the only ones that it reaches, also by redirects; other projects reach theirs"
      ),
      testNamed(
        shownIn.hostsOfProjects,
        "a project reaches the hosts of its list alone, another one all; a host that does not answer rests"
      )
    ],
    [
      "D30: requests at once to one host and of one project; hosts that do not answer rest",
      testNamed(
        shownIn.sharedHosts,
        "requests at once > one project's slow requests take half of a host's places, and leave others theirs"
      ),
      testNamed(
        shownIn.sharedHosts,
        "a host that does not answer > rests for the project whose requests it leaves without an answer, and for no other"
      )
    ],
    [
      "Prefetch: from its second run on, a program's GETs go out side by side, at the same gas, price and outcome",
      testNamed(
        shownIn.prefetchServed,
        "sends the previous run's requests concurrently, at the same gas and price, unless it is switched off"
      ),
      testNamed(
        shownIn.vmPrefetchedRun,
        "a run of a known program and inputs > has all of its requests under way at once, and ends as the run before did"
      ),
      testNamed(
        shownIn.vmPrefetch,
        "what the program is told > is the same with and without prefetching, whatever programs do and upstreams answer"
      ),
      testNamed(
        shownIn.vmPastRequests,
        "what is remembered after a run > costs one request in vain for each address that is never the same, not one in each run"
      ),
      testNamed(
        shownIn.vmRequestMemory,
        "the memory of requests > finds them for the same project, program and inputs, and for nothing else"
      )
    ],
    [
      "Prefetch: off for a service, a project or a request, over REST and WebSocket; reported with debug information",
      "REST-PARAM-003",
      testNamed(shownIn.prefetch, "prefetching > is off for one request, over REST and over WebSocket, and for every run of a feed"),
      testNamed(shownIn.prefetch, "prefetching > follows the project's limit from its change on"),
      testNamed(
        shownIn.prefetch,
        "prefetching > adds nothing to an answer without debug information, nor in the profile of the public network"
      )
    ],
    [
      "D44: storage per project and program, written with a successful run, replayed from the tape",
      testNamed(shownIn.keptValues, "a program reads what its last successful run stored, separately for each project"),
      testNamed(shownIn.keptValues, "what a failed run wrote is discarded"),
      testNamed(shownIn.sqlStores, "a run's writes are stored with its charge, once, or not at all")
    ],
    [
      "D45: the verdict on a module agrees with the engines, and its cost of compiling is bounded before an engine sees it",
      testNamed(shownIn.vmVerdict, "the verdict on a module is that of the engine > for golden modules with bytes changed"),
      testNamed(shownIn.vmVerdict, "unreachable code > is refused if it %s"),
      testNamed(shownIn.vmCompileCost, "refused before compiling > %s")
    ],
    [
      "Programs are deployed by command line or by an embedder's code; no endpoint deploys one",
      testNamed(shownIn.projectLife, "a project's life by command line on ${…} > on SQLite"),
      testNamed(shownIn.memoryLaws, "a program is found by its id, also if it was stored twice"),
      testNamed(shownIn.openApi, "the OpenAPI document > has exactly the routes of the contract")
    ]
  ]
}
