/** Every project's credits: an append-only journal, the accounts that it adds up to, and the open holds. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Entropy, Ledger, type LedgerOutcome, makeEscrowLedger, type Measuring, metricList, Metrics, StoreDefect } from "@sibyl/core"
import { Clock, type Context, Effect, Exit, Layer, type Scope } from "effect"
import { balanceNow } from "./balanceNow.ts"
import { recalledEscrows } from "./recalledEscrows.ts"
import { makeGroupCommit, type Submit } from "../database/groupCommit.ts"
import { commitOperations, type CommittedOutcome, type DecidedIn, type Joining, type WaitingOperation } from "./ledgerBatch.ts"
import { type ByDatabaseTime, DatabaseTime } from "../database/databaseTime.ts"
import { orSqlDefect } from "../database/sqlDefect.ts"

/** Bounds the memory and duration of a transaction with large reports: those with results of 96,000 bytes are written a few at a time, small ones by the hundred. */
const mostBytes = 1_048_576

/** Only parts whose size a program determines are counted; the rest of an operation is small. */
const bytesOf = ({ operation }: WaitingOperation): number => {
  if (operation.kind !== "settle" && operation.kind !== "charge") return 0
  const { answer, report } = operation
  const { dataRequest, dataResult, execute, tally } = report
  const phases = [execute, tally].map((phase) => (phase === null ? 0 : phase.result.length + phase.stdout.length + phase.stderr.length))
  const inputs = dataRequest.execInputs.length + dataRequest.tallyInputs.length
  const texts = (answer?.texts ?? []).reduce((sum, text) => sum + text.length, 0)
  return phases.reduce((sum, bytes) => sum + bytes, inputs + dataResult.result.length + texts)
}

/**
 * How many operations share a transaction at most, which bounds its memory and duration; and how many transactions are under way at once,
 * each on a lane of its own, or one behind the other. PostgreSQL processes them concurrently. SQLite has one writer, in a thread of its
 * own: it has the next full group at hand when it has committed one, and this thread makes another one meanwhile. On PostgreSQL a group that
 * waits for an account which another server has locked takes along what arrives for it.
 */
const groupingOf = (sql: SqlClient) =>
  sql.onDialectOrElse({
    pg: () => ({ lanes: 4, mostItems: 256, mostUnderWay: 1, place: "this thread" as const }),
    orElse: () => ({ lanes: 1, mostItems: 100, mostUnderWay: 2, place: "another thread" as const })
  })

/** A caller that is interrupted never learns the id of its hold, so the hold is returned, or never taken. */
const undo = ({ nowMs, operation }: WaitingOperation) =>
  operation.kind !== "hold"
    ? undefined
    : {
        after: (outcome: CommittedOutcome): WaitingOperation | undefined =>
          Exit.isSuccess(outcome) && outcome.value.kind === "done"
            ? { operation: { kind: "void", projectId: operation.projectId, hold: operation.hold }, nowMs }
            : undefined
      }

type Lane = Submit<WaitingOperation, LedgerOutcome, never>

const committed =
  (sql: SqlClient, metrics: Measuring, place: DecidedIn) => (waiting: ReadonlyArray<WaitingOperation>, joining: Joining) => {
    const outcomes = commitOperations(sql, place, waiting, place === "this thread" ? joining : undefined)
    if (!metrics.isOn) return outcomes
    return Effect.flatMap(Clock.currentTimeNanos, (startNanos) =>
      Effect.tap(outcomes, ({ length }) =>
        Effect.map(Clock.currentTimeNanos, (endNanos) => {
          metrics.observe(metricList.ledgerGroup, length)
          metrics.observe(metricList.ledgerSeconds, Number(endNanos - startNanos) / 1e9)
        })
      )
    )
  }

const makeLanes = (sql: SqlClient, metrics: Measuring): Effect.Effect<ReadonlyArray<Lane>, never, Scope.Scope> => {
  const { lanes, place, ...grouping } = groupingOf(sql)
  const lane = makeGroupCommit({
    ...grouping,
    ownerOf: ({ operation }) => operation.projectId,
    bytesOf,
    mostBytes,
    undo,
    commit: committed(sql, metrics, place)
  })
  return Effect.replicateEffect(lane, lanes)
}

/** A project always uses the same lane, so that this process never waits for its own locks. Any hash of the id will do. */
const laneOf = (lanes: ReadonlyArray<Lane>, projectId: string): Lane => {
  let sum = 0
  for (let at = 0; at < projectId.length; at += 1) sum = (sum * 31 + projectId.charCodeAt(at)) % 65_521
  const lane = lanes[sum % lanes.length]
  if (lane === undefined) throw new StoreDefect("a ledger without lanes")
  return lane
}

/** The ledger whose leases go by the database's time, those of escrows in memory, too. */
const byDatabaseTime = (during: ByDatabaseTime, ledger: Context.Tag.Service<Ledger>): Context.Tag.Service<Ledger> => ({
  hold: (project, amount, leaseMs) => during(ledger.hold(project, amount, leaseMs)),
  renew: (hold, leaseMs) => during(ledger.renew(hold, leaseMs)),
  settle: (hold, report, also) => during(ledger.settle(hold, report, also)),
  settleChosen: (hold, report, chosen, also) => during(ledger.settleChosen(hold, report, chosen, also)),
  void: (hold) => during(ledger.void(hold)),
  balance: (project) => during(ledger.balance(project))
})

/** The ledger. Concurrent operations share durable transactions, and return after the commit. */
export const layerSqlLedger: Layer.Layer<Ledger, never, SqlClient | Entropy | DatabaseTime> = Layer.scoped(
  Ledger,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const lanes = yield* makeLanes(sql, yield* Metrics)
    const during = yield* DatabaseTime
    const ledger = makeEscrowLedger(
      {
        perform: (operation) =>
          Effect.clockWith((clock) => laneOf(lanes, operation.projectId)({ operation, nowMs: () => clock.unsafeCurrentTimeMillis() })),
        balance: (project, drawnOf) => orSqlDefect("reading a balance")(balanceNow(sql, project, drawnOf)),
        recalled: orSqlDefect("looking for recalled credits")(recalledEscrows(sql))
      },
      yield* Entropy
    )
    return byDatabaseTime(during, yield* during(ledger))
  })
)
