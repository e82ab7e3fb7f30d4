/** Clauses of the decisions D31 to D43, D46, D48, D50 and D51: credits, feeds, example programs, versions. */
import type { ClauseSection } from "./clause.ts"
import { shownIn } from "./shownIn.ts"
import { testNamed } from "./testEvidence.ts"

/** D31 to D34: credits and retries. */
export const creditDecisions: ClauseSection = {
  title: "Decisions D31 to D34: credits",
  clauses: [
    [
      "D31: base, started gas and data proxy fees, in whole credits",
      "REST-SHOW-007",
      "REST-SHOW-008",
      testNamed(shownIn.price, "priceOf > is the sum of its parts, and gas is rounded up to whole credits"),
      testNamed(shownIn.decidedNumbers, "D31, D32: the price list, and what a run with the default limits holds")
    ],
    [
      "D31: data proxies are paid for good answers only, within the run's budget",
      testNamed(shownIn.proxiedFetch, "a call that fails is reported to the program, and costs nothing > of a proxy with the fault %s"),
      testNamed(
        shownIn.proxiedFetch,
        "the budget of a run > ends with the call that it does not cover, which is not sent; earlier calls are paid"
      ),
      testNamed(shownIn.vmProxyCalls, "the fees on a tape > are those of answers of 200 to 299, by proxy and by the fee at the time"),
      testNamed(shownIn.dataProxyOperator, "a registered proxy is called and paid, also after a restart; a changed one costs its new fee")
    ],
    [
      "D32: the worst case is held, the true price posted, the rest returned",
      "REST-SHOW-007",
      "REST-QUOTE-004",
      "REST-QUOTE-006",
      testNamed(shownIn.charging, "a run that ends > is settled once by its gas, and the rest of the hold is released"),
      testNamed(shownIn.credits, "posting and returning > returns exactly what is not posted")
    ],
    [
      "D32: a run that has started is finished and charged, whatever its client does",
      "WS-FEED-009",
      "WS-LOAD-002",
      testNamed(shownIn.charging, "a client that disconnects > loses only the answer: the run is finished, charged and stored"),
      testNamed(shownIn.lifecycle, "a client that disconnects > gets no answer, and its run is finished and charged")
    ],
    [
      "D32: holds left by a crash are voided, and none is lost",
      testNamed(shownIn.sqlCrash, "after %i charges: the ledger is consistent and every hold is resolved")
    ],
    [
      "D33: remaining is granted minus used minus held",
      "REST-VERIFY-001",
      "REST-SHOW-007",
      "REST-QUOTE-006",
      testNamed(shownIn.balance, "remainingOf > is granted minus used minus held")
    ],
    [
      "D34: an `Idempotency-Key` runs once and gets the same response",
      "REST-RETRY-001",
      "REST-RETRY-002",
      "REST-RETRY-005",
      testNamed(shownIn.idempotency, "the first answer > is replayed to the same request in any notation, and is charged once")
    ],
    ["D34: another request with the key is 422, a malformed key 400", "REST-RETRY-003", "REST-RETRY-004"],
    [
      "D34: refusals are not kept, keys are separate for each project, GET ignores them",
      "REST-RETRY-006",
      "REST-RETRY-007",
      "REST-RETRY-008"
    ],
    [
      "D34: the claim outlives its process on a shared database",
      testNamed(shownIn.retries, "a claim > of a stopped process is taken over after its lease, with its run's id"),
      testNamed(shownIn.sqlRetries, "returns the run of a process that was killed between charge and answer, without a new charge")
    ]
  ]
}

/** D35 to D43, D46, D48, D50, D51: feeds, example programs, versions. */
export const feedDecisions: ClauseSection = {
  title: "Decisions D35 to D43, D46, D48, D50, D51: feeds, example programs, versions",
  clauses: [
    [
      "D35: the first run starts right after the reply",
      "WS-FEED-001",
      testNamed(shownIn.feed, "the first run > of %s begins, and may end, before the start of the feed returns")
    ],
    [
      "D36: `FIXED` is a grid; missed points are dropped; no overlap, no burst, no drift",
      "WS-MODE-001",
      testNamed(shownIn.schedule, "FIXED > is on the grid unless the previous run took longer than a period"),
      testNamed(
        shownIn.schedule,
        "FIXED > starts after the start and not before the end of the previous run, and is never idle for a whole period"
      ),
      testNamed(
        shownIn.feeds,
        "any number of feeds on any number of connections > keep the laws exactly, whatever runs, stops, disconnects and the wall clock do"
      )
    ],
    [
      "D37: `SEQUENTIAL` is the end plus the period",
      "WS-MODE-002",
      testNamed(shownIn.schedule, "examples of a feed of 100 ms that started at 1,000 > SEQUENTIAL: run %i from %i to %i is followed at %i")
    ],
    [
      "D38: `PARALLEL` is the first start plus n periods; beyond the overlap a start is a failed run",
      "WS-MODE-003",
      testNamed(shownIn.feed, "after a stall of the process > PARALLEL refuses runs beyond the overlap limit, with a result for each"),
      testNamed(
        shownIn.feeds,
        "any number of feeds on any number of connections > keep the laws exactly, whatever runs, stops, disconnects and the wall clock do"
      )
    ],
    [
      "D39: one result per run, with `seq`, `scheduledAt`, `startedAt`; none after the stop",
      "WS-FEED-002",
      "WS-FEED-005",
      testNamed(
        shownIn.serviceFeeds,
        "arbitrary traffic over several connections satisfies the laws, observed from inside and over the wire"
      )
    ],
    [
      "D40: no failure ends a feed, not even an internal fault",
      "WS-FEED-003",
      "WS-FEED-004",
      "WS-CREDIT-003",
      testNamed(shownIn.rpcFaults, "is a feed's result, run after run")
    ],
    [
      "D41: periods from 10 ms to 24 h, 50 feeds per connection, 20 connections per key",
      "WS-PARAM-011",
      "WS-FEED-007",
      "WS-CONN-004",
      testNamed(shownIn.decidedNumbers, "D38, D41: the limits of connections and feeds")
    ],
    [
      "D41: a message may have as many bytes as a body of its project; a longer one closes with 1009",
      "WS-FRAME-001",
      testNamed(shownIn.messageBytes, "where the limit is %s, it is that of messages and of bodies"),
      testNamed(shownIn.messageBytes, "a changed limit applies from the next message")
    ],
    [
      "D41: ping and pong; slow readers are closed with 1013, others are unaffected",
      "WS-LIVE-002",
      "WS-LIVE-005",
      "WS-LIVE-006",
      testNamed(shownIn.backpressure, "any history is judged by the time above the soft limit without a pause")
    ],
    [
      "D41: a revoked or expired key closes with 1008, draining with 1001",
      "WS-LIVE-003",
      "WS-LIVE-004",
      "WS-END-001",
      testNamed(shownIn.connections, "the end of the service sends each client one close frame, and waits for its answer")
    ],
    [
      "D41: the same over both adapters",
      testNamed(shownIn.expressWs, "passes every WebSocket audit"),
      testNamed(shownIn.bunWs, "passes every WebSocket audit")
    ],
    [
      "D42: the equity session's sessions, weights, staleness and arithmetic",
      testNamed(shownIn.equitySession, "the result > mixes each session with the previous one, the first with the last"),
      testNamed(shownIn.equitySession, "a stale price > gives way to the newest of the four, whose time is then the result's"),
      testNamed(shownIn.equitySession, "the complete result > equals the model's, to the last byte")
    ],
    [
      "D43: the metals index's and the crypto price's rules, refusals and rounding",
      testNamed(shownIn.metalsIndex, "the arithmetic > equals the model's, in both formats, to the last digit"),
      testNamed(shownIn.metalsIndex, "the index refuses > %s"),
      testNamed(shownIn.cryptoPrice, "the arithmetic > equals the model's, in both formats, to the last digit"),
      testNamed(shownIn.cryptoPrice, "the execution phase refuses > %s"),
      testNamed(shownIn.upstreamFaults, "%s > fails clearly with the market's fault %s")
    ],
    [
      "D46: version 1 grows by addition: unknown members are ignored; there is no `/ws/v2`",
      "WS-RPC-005",
      "REST-PARAM-006",
      testNamed(shownIn.lifecycle, "paths > that are not the service's are ignored, whatever the method")
    ],
    [
      "D47: equal shared feeds of one project are one feed, never those of two projects",
      "WS-SHARE-001",
      "WS-SHARE-005",
      testNamed(shownIn.feedDefinition, "the key of a shared feed > is equal exactly if what determines runs and answers is equal")
    ],
    [
      "D47: a tick is one run, charged once, sent to all who subscribe",
      "WS-SHARE-002",
      "WS-SHARE-003",
      "WS-SHARE-004",
      "WS-SHARE-006",
      testNamed(
        shownIn.sharedFeeds,
        "any number of subscribers that come and go > are each told every run that ends while they are there, once, in order; nobody else starts one"
      ),
      testNamed(shownIn.fanOut, "the fan-out > sends a bounded number in one turn, and a small feed does not wait for a large one")
    ],
    [
      "D48: servers that share a feed run each tick once; another one goes on within three seconds when the owner dies; losses are told",
      testNamed(shownIn.clusteredFeeds, "servers that share a feed > run each tick of %s once, and send it to everyone"),
      testNamed(
        shownIn.clusteredFeeds,
        "servers that share a feed > take over within three seconds from an owner that dies, and none from one that only froze for a moment"
      ),
      testNamed(
        shownIn.clusteredFeeds,
        "whatever servers and subscribers do > no tick runs twice, no number comes twice or backwards, nothing is lost untold, and ticks go on where someone is"
      ),
      testNamed(shownIn.relayedNews, "news of a feed > is old when it is repeated, or when it comes after a later owner's")
    ],
    [
      "D50: a feed has one owner at a time, and every tick of its schedule is taken once",
      testNamed(shownIn.feedLease, "has one holder at a time, and gives every tick to one of them")
    ],
    [
      "D50: a tick that two owners run is charged once, under one id",
      testNamed(shownIn.feedRunId, "depends on feed, epoch and tick, and on nothing else"),
      testNamed(
        shownIn.durableFeeds,
        "a durable feed > is taken over when its server ends, with neither a repeat nor a gap, and shown to followers of another server"
      )
    ],
    [
      "D51: durable feeds are added, listed, shown and removed over REST, by their project only",
      "REST-FEED-001",
      "REST-FEED-002",
      "REST-FEED-004"
    ],
    [
      "D51: a durable feed runs without a connection; no failure ends it",
      "REST-FEED-003",
      "REST-FEED-005",
      testNamed(shownIn.feedTicks, "every tick is later than the one before, and none starts before it is due")
    ],
    [
      "D51: `feed.follow` resumes from any place, without gap or repeat, or tells the gap",
      "WS-FOLLOW-001",
      "WS-FOLLOW-002",
      "WS-FOLLOW-003",
      "WS-FOLLOW-004",
      testNamed(shownIn.durableFeeds, "a durable feed > is followed from any place, in order, without gap or repeat"),
      testNamed(shownIn.durableFeeds, "a durable feed > tells what is no longer kept")
    ]
  ]
}
