/** The clauses that no audit can show, each with the reason beside it: what an audit would need is not in a client's hands. */

const ofExamples =
  "the example programs are the operator's to deploy, and what they answer depends on an upstream that an audit does not control"
const ofOptions = "it depends on a setting of the operator, which a client neither sees nor changes"
const ofFetching = "it needs an upstream under control that the service is allowed to reach; the address is private, so it is not"
const ofMachine = "it is about the machine that runs programs: a client sees one outcome, not what it was computed from"
const ofFaults = "it needs a fault inside of the service, its database or its process, which a client cannot cause"
const ofServers = "it needs several servers of one service, and the end of one of them"

const reasons: Readonly<Record<string, ReadonlyArray<string>>> = {
  [ofExamples]: [
    "Equity session: `session_ids`, texts of 0x and 64 hex characters, one per session",
    "Equity session: `weights`, numbers, one for each session id",
    "Equity session: `composite_rate` is a number",
    "Equity session: `price` is `{ mantissa: text, expo: integer }`",
    "Equity session: `active_session`",
    "Equity session: `weights` of the result, `session` and `reference`",
    "Equity session: `timestamp` in ISO 8601, UTC",
    "Equity session: `sources_used`, addresses",
    "Equity session: `was_stale`",
    "Equity session: pre-market 04:00 to 09:30 US Eastern",
    "Equity session: regular hours 09:30 to 16:00",
    "Equity session: post-market 16:00 to 20:00",
    "Equity session: overnight 20:00 to 04:00 of the next day",
    "Metals index: `weights` of gold, silver, platinum, palladium, 25 each by default",
    "Metals index: the weights sum to 100",
    "Metals index: `output_format` omitted is a uint256, `json` is `{ index }`",
    "Metals index: with an empty object the defaults apply",
    "Crypto price: `id`, 64 hex characters with or without 0x, required",
    "Crypto price: `output_format` omitted is a uint256, `json` is `{ price }`",
    "uint256: 32 bytes big-endian, the value times 10^8, 64 hex characters in `dataResult.result`",
    "The example programs fail with exit code 1 and one line on wrong inputs",
    "The weights of the metals index sum to 100",
    "D42: the equity session's sessions, weights, staleness and arithmetic",
    "D43: the metals index's and the crypto price's rules, refusals and rounding"
  ],
  [ofOptions]: [
    "Keys are issued, rotated and revoked by the operator",
    "D11: kept for 30 days, last results always",
    "D21: a service is one network under any prefix; networks are separate",
    "D24: several executors, filters, reveals and consensus",
    "D27: refresh in the background, by option and by profile",
    "D27: the public network's profile has exactly its fields",
    "D29: the numbers of every limit, and of the gas limits of D22",
    "D29: limits per project",
    "D30: allow-list, overrides and headers per host",
    "D30: a project's own list of hosts",
    "Programs are deployed by command line or by an embedder's code; no endpoint deploys one"
  ],
  [ofFetching]: [
    "A failed or timed out HTTP request of a program is a common cause of 599",
    "D30: outbound requests reach public addresses only, at every redirect",
    "D30: requests at once to one host and of one project; hosts that do not answer rest",
    "Prefetch: from its second run on, a program's GETs go out side by side, at the same gas, price and outcome",
    "D31: data proxies are paid for good answers only, within the run's budget"
  ],
  [ofMachine]: [
    "D25: a run replays from its tape with the same outcome",
    "D25: what a program's module may contain, in both phases",
    "D25: how programs read the answers to their requests",
    "D44: storage per project and program, written with a successful run, replayed from the tape",
    "D45: the verdict on a module agrees with the engines, and its cost of compiling is bounded before an engine sees it"
  ],
  [ofFaults]: [
    "36000: an unexpected error of the server",
    "D13: an unavailable database is 503 `Unavailable` (36054), and costs no credits",
    "D15: a full queue is 503 with `Retry-After: 1`",
    "D27: ages do not depend on changes of the wall clock, and results from the future count as old",
    "D32: holds left by a crash are voided, and none is lost",
    "D34: the claim outlives its process on a shared database"
  ],
  [ofServers]: [
    "D48: servers that share a feed run each tick once; another one goes on within three seconds when the owner dies; losses are told",
    "D50: a feed has one owner at a time, and every tick of its schedule is taken once",
    "D50: a tick that two owners run is charged once, under one id"
  ],
  "it compares two servers of ours; each of them passes every audit": [
    "D13: the same bodies on Node and Bun",
    "D41: the same over both adapters"
  ],
  "its feeds, runs and clocks are generated and simulated; the audits of the three modes show it of one feed each": [
    "All three modes satisfy their law on arbitrary traffic"
  ]
}

/** Why no audit shows a clause, by what it says. */
export const unauditedClauses: ReadonlyMap<string, string> = new Map(
  Object.entries(reasons).flatMap(([reason, clauses]) => clauses.map((says) => [says, reason] as const))
)
