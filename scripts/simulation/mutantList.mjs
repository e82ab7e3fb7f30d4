/**
 * Guards of the service, each with what replaces it when it is taken out. Every mutant is judged by simulations; `tests` are fast test files
 * that judge it if simulations do not catch it, because what it guards is not part of them. `find` stands exactly once in its file.
 */

const core = "packages/core/src/"

export const mutants = [
  // Credits.
  {
    id: "balance",
    guards: "a run is refused when the remaining credits do not cover its hold",
    file: `${core}domain/credits/credits.ts`,
    find: "if (remaining < amount) {",
    replace: "if (remaining < -1_000_000n) {"
  },
  {
    id: "withdrawal",
    guards: "no more is withdrawn than what is neither used nor held",
    file: `${core}domain/credits/withdrawal.ts`,
    find: "if (remaining < credits) {",
    replace: "if (remaining < -1_000_000n) {"
  },
  {
    id: "usage-limit",
    guards: "a run is refused when the usage limit of the period is reached",
    file: `${core}domain/credits/credits.ts`,
    find: "if (usageLimit === null || balance.periodUsed + amount <= usageLimit.credits) return undefined",
    replace: "if (amount >= 0n) return undefined"
  },
  {
    id: "whole-hold-returns",
    guards: "posting takes the whole hold off what is held",
    file: `${core}domain/credits/credits.ts`,
    find: "held: account.held - amount",
    replace: "held: account.held - posted"
  },
  {
    id: "usage-of-holds",
    guards: "a hold counts towards the usage of its period",
    file: `${core}domain/credits/ledgerDraft.ts`,
    find: "  addUsage(draft, hold.period, credits)\n  putOpen",
    replace: "  putOpen"
  },
  {
    id: "lease-end",
    guards: "a hold is void when its lease has ended",
    file: `${core}domain/credits/ledgerDraft.ts`,
    find: 'if (hold.state === "held" && hold.leaseEndMs <= nowMs) resolve',
    replace: 'if (hold.state === "held" && nowMs < 0) resolve'
  },
  {
    id: "hold-repeated",
    guards: "a hold whose acknowledgement was lost is not taken twice",
    file: `${core}domain/credits/applyOperations.ts`,
    find: "if (draft.holds.has(hold.holdId)) return done",
    replace: "",
    tests: ["packages/core/src/domain/credits/applyOperations.test.ts", "packages/testing/src/laws/memoryStores.test.ts"]
  },
  {
    id: "settle-repeated",
    guards: "a settlement whose acknowledgement was lost is answered, not repeated",
    file: `${core}domain/credits/applyOperations.ts`,
    find: 'if (hold.state === "posted") return { kind: "settled", balance: balanceIn(draft, hold.period, nowMs), isRecalled: false }',
    replace: 'if (hold.state === "posted") return breach(`hold ${holdId} was posted`)'
  },
  {
    id: "run-charged-once",
    guards: "a run is charged once, however many holds were taken for it",
    file: `${core}domain/credits/applyOperations.ts`,
    find: "if (draft.charged.has(id)) return breach(`run ${id} was charged before`)",
    replace: "",
    tests: ["packages/testing/src/laws/memoryStores.test.ts"]
  },
  {
    id: "charge-repeated",
    guards: "a charge of an escrow whose acknowledgement was lost is answered, not repeated",
    file: `${core}domain/credits/escrowDecisions.ts`,
    find: 'if (draft.charged.get(id) === hold.holdId) return { kind: "settled", balance: balanceNow(), isRecalled: false }',
    replace: ""
  },
  {
    id: "escrow-free",
    guards: "no more is drawn of an escrow than it has",
    file: `${core}ports/escrow/drawing.ts`,
    find: "if (escrow.free < amount) return undefined",
    replace: ""
  },
  {
    id: "escrow-period",
    guards: "an escrow of another period of the usage limit is not drawn from",
    file: `${core}domain/credits/escrow.ts`,
    find: "return period === null || (this.#period !== null && periodKey(period) === periodKey(this.#period))",
    replace: "return true",
    tests: ["packages/core/src/domain/credits/escrow.test.ts"]
  },
  {
    id: "escrow-recall",
    guards: "before a run is refused, what is not drawn of escrows is called back",
    file: `${core}domain/credits/applyOperations.ts`,
    find: "const escrowIds = recalls === true ? recall(draft) : []",
    replace: "const escrowIds: ReadonlyArray<string> = recalls === true ? recall(draft).slice(0, 0) : []",
    tests: ["packages/core/src/ports/escrow/escrowLedger.test.ts"]
  },
  {
    id: "escrow-given-back",
    guards: "a server that ends gives its escrows back",
    file: `${core}ports/escrow/escrowWatch.ts`,
    find: "yield* Effect.addFinalizer(() => giveAllBack)",
    replace: ""
  },
  {
    id: "escrow-drained",
    guards: "a drained escrow is closed with the last run that has drawn from it",
    file: `${core}domain/credits/escrowDecisions.ts`,
    find: 'if (charged.escrow.state === "drained") drain(draft, charged, nowMs, drawn?.mayBeLess)',
    replace: "",
    tests: ["packages/core/src/domain/credits/escrowDecisions.test.ts", "packages/core/src/ports/escrow/escrowLedger.test.ts"]
  },
  {
    id: "void-on-defect",
    guards: "the hold of a run that failed by our fault is returned",
    file: `${core}services/credits/heldRun.ts`,
    find: "  yield* Effect.ignoreLogged(ledger.void(hold))\n  return yield* Effect.failCause(exit.cause)",
    replace: "  return yield* Effect.failCause(exit.cause)"
  },
  {
    id: "detached-run",
    guards: "a run that has begun goes on when its client leaves",
    file: `${core}services/credits/credits.ts`,
    find: "runs.run(admission.admit(project, held), listeners)",
    replace: "admission.admit(project, held)"
  },
  {
    id: "settle-patience",
    guards: "a finished run waits for its store and is charged",
    file: `${core}services/credits/settledRun.ts`,
    find: "onceReachable(ledger.settleChosen(hold, report, chosen, { storage, answer: first.answer, dated })).pipe(",
    replace: "ledger.settleChosen(hold, report, chosen, { storage, answer: first.answer, dated }).pipe("
  },
  {
    id: "lease-renewal",
    guards: "the lease of a hold is renewed while its run goes on",
    file: `${core}services/credits/leases.ts`,
    find: "const due = [...held.values()].flatMap(({ hold, looks }) => (looks >= looksBetween ? [hold] : []))",
    replace: "const due = [...held.values()].flatMap(({ hold, looks }) => (looks < 0 ? [hold] : []))",
    tests: ["packages/core/src/services/credits/charging.test.ts"]
  },
  {
    id: "price",
    guards: "a started credit of gas counts as a whole one",
    file: `${core}domain/credits/price.ts`,
    find: "(dividend + divisor - 1n) / divisor",
    replace: "dividend / divisor"
  },
  {
    id: "price-of-time",
    guards: "a run that never ends costs the time of its worker",
    file: `${core}domain/credits/price.ts`,
    find: "const gas = gasCharged > timeGas ? gasCharged : timeGas",
    replace: "const gas = timeGas < 0n ? timeGas : gasCharged"
  },
  // Idempotency keys.
  {
    id: "key-of-other-request",
    guards: "a key that was used for another request is refused",
    file: `${core}domain/runs/idempotency.ts`,
    find: "if (known !== undefined && known.fingerprint !== input.fingerprint) return",
    replace: 'if (known !== undefined && known.fingerprint === "") return'
  },
  {
    id: "key-answered",
    guards: "a key that was answered is answered again, without a run",
    file: `${core}domain/runs/idempotency.ts`,
    find: "if (known?.answer !== undefined) return",
    replace: "if (known?.answer !== undefined && nowMs < 0) return"
  },
  {
    id: "key-claimed",
    guards: "while one attempt runs, others wait for it",
    file: `${core}domain/runs/idempotency.ts`,
    find: "if (known !== undefined && nowMs < known.leaseEndMs) return",
    replace: "if (known !== undefined && nowMs < 0) return"
  },
  {
    id: "key-of-run",
    guards: "an attempt that takes a claim over runs under the first one's id",
    file: `${core}domain/runs/idempotency.ts`,
    find: "const runId = known?.runId ?? attemptId",
    replace: "const runId = attemptId",
    tests: ["packages/testing/src/laws/memoryStores.test.ts"]
  },
  {
    id: "key-recall",
    guards: "an attempt that takes a claim over looks for the run of the one before",
    file: `${core}services/retries/claimedWork.ts`,
    find: "return claim.takenOver ? ",
    replace: "return claim.takenOver && claim.runId === claim.attemptId ? ",
    tests: ["packages/core/src/services/retries/retries.test.ts", "packages/core/src/edge/rest/idempotency.test.ts"]
  },
  {
    id: "key-kept-with-charge",
    guards: "the answer under a key is kept with the charge of its run",
    file: `${core}ports/memory/memoryIdempotency.ts`,
    find: "if (record?.runId === id && record.answer === undefined) write",
    replace: "if (record?.runId === id && record.answer !== undefined) write",
    tests: ["packages/testing/src/laws/memoryStores.test.ts"]
  },
  // Timestamps.
  {
    id: "timestamps-of-a-server",
    guards: "the timestamps of a drId increase on one server",
    file: `${core}domain/runs/chosenTimes.ts`,
    find: "const timestampMs = wishedMs > lastMs ? wishedMs : lastMs + 1",
    replace: "const timestampMs = wishedMs > lastMs ? wishedMs : wishedMs + 0"
  },
  {
    id: "timestamps-of-servers",
    guards: "the timestamps of a drId increase across servers and restarts",
    file: `${core}domain/runs/storedTime.ts`,
    find: "if (timestampMs > lastMs) return",
    replace: "if (timestampMs > 0) return"
  },
  {
    id: "storage-of-failed",
    guards: "what a failed run wrote to its storage is discarded",
    file: `${core}services/phases/phaseRun.ts`,
    find: "const storage = dataResult.exitCode === 0 ?",
    replace: "const storage = dataResult.exitCode >= 0 ?"
  },
  // Who may run what, and how much at once.
  {
    id: "allow-list",
    guards: "only programs of the allow-list run",
    file: `${core}services/execution.ts`,
    find: "if (notAllowed !== undefined) return yield* Effect.tapError(notAllowed, refused)",
    replace: ""
  },
  {
    id: "runs-of-project",
    guards: "a project has at most so many runs in flight",
    file: `${core}domain/runs/runPlaces.ts`,
    find: "own < bounds.perProject && own",
    replace: "own"
  },
  {
    id: "revoked-key",
    guards: "a revoked key opens nothing",
    file: `${core}domain/accounts/authentication.ts`,
    find: 'return stored !== undefined && same && keyStateAt(stored, nowMs) === "active"',
    replace: 'return stored !== undefined && same && keyStateAt({ ...stored, revokedAtMs: null }, nowMs) === "active"'
  },
  {
    id: "remembered-key",
    guards: "what is remembered of a key is forgotten when anything that is configured changes",
    file: `${core}services/settings/settingsMemory.ts`,
    find: "if (version !== this.#version) {",
    replace: "if (version !== this.#version && this.#version === undefined) {"
  },
  {
    id: "revoked-connection",
    guards: "connections are closed when their key is revoked",
    file: `${core}edge/ws/connections.ts`,
    find: 'for (const connection of connections) connection.close(closings.keyEnded, "the key is revoked or expired")',
    replace: ""
  },
  {
    id: "draining",
    guards: "a server that drains admits no run",
    file: `${core}services/admission/admission.ts`,
    find: 'if (!open) return new Overloaded({ message: "the service is draining", retryAfterSeconds })',
    replace: "",
    tests: ["packages/core/src/services/admission/admission.test.ts"]
  },
  // Connections.
  {
    id: "requests-of-connection",
    guards: "a connection has at most so many requests that are not answered",
    file: `${core}edge/ws/connection.ts`,
    find: "if (this.#requests.size >= this.#limits.requestsPerConnection) return",
    replace: "if (this.#requests.size < 0) return",
    tests: ["packages/core/src/edge/ws/connectionFlood.test.ts"]
  },
  {
    id: "feeds-of-connection",
    guards: "a connection has at most so many feeds",
    file: `${core}edge/ws/connectionFeeds.ts`,
    find: "if (this.#running.size + this.#reserved >= maxFeeds) {",
    replace: "if (this.#running.size + this.#reserved < 0) {"
  },
  {
    id: "connections-of-key",
    guards: "a key has at most so many connections",
    file: `${core}edge/ws/connections.ts`,
    find: "if (open.countOf(principal.apiKeyId) + elsewhere >= max) {",
    replace: "if (open.countOf(principal.apiKeyId) + elsewhere < 0) {",
    tests: ["packages/core/src/edge/ws/connections.test.ts"]
  },
  {
    id: "silent-client",
    guards: "a client that answers no ping is cut off",
    file: `${core}edge/ws/keepalive.ts`,
    find: 'return { kind: "dead" }',
    replace: 'return { kind: "wait" }'
  },
  {
    id: "slow-client",
    guards: "a client that does not read for a while is closed",
    file: `${core}edge/ws/backpressure.ts`,
    find: "return nowMs - since >= limits.outputSoftMs",
    replace: "return nowMs - since < 0",
    tests: ["packages/core/src/edge/ws/backpressure.test.ts"]
  },
  {
    id: "nothing-after-close",
    guards: "nothing is sent after a close",
    file: `${core}edge/ws/outbox.ts`,
    find: "    this.#closed = true\n    this.#waiting = undefined",
    replace: "    this.#waiting = undefined",
    tests: ["packages/core/src/edge/ws/outbox.test.ts"]
  },
  {
    id: "feeds-end",
    guards: "the feeds of a connection end with it",
    file: `${core}edge/ws/connectionFeeds.ts`,
    find: "    this.#ended = true\n    for (const feed of this.#running.values()) feed.stop()\n    this.#running.clear()",
    replace: "    this.#ended = true"
  },
  // Feeds.
  {
    id: "stop",
    guards: "no result comes after a stop",
    file: `${core}services/feeds/feed.ts`,
    find: "if (!this.#stopped) this.#deliver(seq, scheduledMs, startMs, exit)",
    replace: "this.#deliver(seq, scheduledMs, startMs, exit)"
  },
  {
    id: "overlap",
    guards: "a PARALLEL feed has at most so many runs at once",
    file: `${core}services/feeds/feed.ts`,
    find: "this.#overlapping.size >= maxOverlap ?",
    replace: "this.#overlapping.size < 0 ?",
    tests: ["packages/core/src/services/feeds/feed.test.ts"]
  },
  {
    id: "grid",
    guards: "a FIXED feed stays on its grid",
    file: `${core}domain/runs/feedSchedule.ts`,
    find: "const point = originMs + Math.max(later, reached) * periodMs",
    replace: "const point = Math.max(afterMs + periodMs, atLeastMs)"
  },
  {
    id: "fixed-overrun",
    guards: "a FIXED run that took longer than a period is followed at once",
    file: `${core}domain/runs/feedSchedule.ts`,
    find: "return previous.endMs - previous.startMs > schedule.periodMs ? previous.endMs :",
    replace: "return previous.endMs < 0 ? previous.endMs :"
  },
  {
    id: "one-owner",
    guards: "one server at a time runs a feed's ticks",
    file: `${core}domain/feeds/feedLease.ts`,
    find: "if (found !== undefined && found.owner !== owner && nowMs < found.leaseUntilMs) return undefined",
    replace: "",
    tests: ["packages/testing/src/laws/memoryStores.test.ts"]
  },
  {
    id: "unfinished-ticks",
    guards: "an owner ends the runs that a former owner has left",
    file: `${core}edge/feeds/ownedFeed.ts`,
    find: "      yield* this.#finishOthers\n",
    replace: ""
  },
  // Stores, the machine and the way out.
  {
    id: "orphaned-holds",
    guards: "at its start, a server on a file of its own returns what a crash has left held",
    file: "packages/sql/src/ledger/expiredHolds.ts",
    find: 'const untilMs = kind === "voidAll" ? Number.MAX_SAFE_INTEGER : nowMs',
    replace: "const untilMs = nowMs"
  },
  {
    id: "tenant-of-storage",
    guards: "a program's storage is of one project",
    file: `${core}ports/memory/memoryProgramStorage.ts`,
    find: "`${projectId}/${programId}`",
    replace: "`${programId}`"
  },
  {
    id: "inbox",
    guards: "the messages that wait for a connection are bounded",
    file: `${core}edge/ws/inbox.ts`,
    find: "this.#line.length <= mostUnread && ",
    replace: "",
    tests: ["packages/core/src/edge/ws/inbox.test.ts"]
  },
  {
    id: "ticket-uses",
    guards: "a ticket is used as often as it says",
    file: `${core}domain/tickets/ticket.ts`,
    find: " || found.usesLeft < 1) return",
    replace: " || found.usesLeft < 0) return",
    tests: ["packages/core/src/domain/tickets/ticket.test.ts"]
  },
  {
    id: "public-addresses",
    guards: "programs reach public addresses only",
    file: "packages/vm/src/http/addressPolicy.ts",
    find: "if (ipv4 !== undefined) return !refusedIpv4.some((refused) => contains(refused, ipv4))",
    replace: "if (ipv4 !== undefined) return refusedIpv4.length > 0",
    tests: ["packages/vm/src/http/addressPolicy.test.ts"]
  },
  {
    id: "answer-size",
    guards: "an upstream's answer is cut at its cap",
    file: "packages/vm/src/http/answerBytes.ts",
    find: 'if (length > this.maxBytes) return "tooLarge"',
    replace: "",
    tests: ["packages/vm/src/http/answerBytes.test.ts"]
  },
  {
    id: "header-injection",
    guards: "no line can be injected into the headers of a request",
    file: "packages/vm/src/http/headerPolicy.ts",
    find: "if (!fieldValue.test(value)) {",
    replace: "if (value.length < 0) {",
    tests: ["packages/vm/src/http/headerPolicy.test.ts"]
  },
  {
    id: "gas-of-calls",
    guards: "a host call that cannot be paid ends the program",
    file: "packages/vm/src/host/state/gasMeter.ts",
    find: "if (cost > this.remaining) throw",
    replace: "if (cost < 0n) throw",
    tests: ["packages/vm/src/host/state/gasMeter.test.ts"]
  }
]
