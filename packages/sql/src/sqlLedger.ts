/** Every project's credits: an append-only journal, the accounts that it adds up to, and the open holds. */
import { SqlClient } from "@effect/sql/SqlClient"
import { type Balance, Entropy, type Hold, type HoldRefusal, Ledger, StoreDefect, timeOrderedUuidOf } from "@sibyl/core"
import { Effect, Exit, Layer, type Scope } from "effect"
import { balanceNow } from "./balanceNow.ts"
import { makeGroupCommit, type Submit } from "./groupCommit.ts"
import { commitOperations, type WaitingOperation } from "./ledgerBatch.ts"
import type { LedgerOperation, LedgerOutcome } from "./ledgerOperation.ts"
import { orSqlDefect } from "./sqlDefect.ts"

/** Bounds the memory and the time of a transaction; beyond it a bigger one is hardly cheaper for each. */
const mostOperations = 256

/** Likewise: reports of 96,000 bytes of result are written a few at a time, small ones by the hundred. */
const mostBytes = 1_048_576

/** What a program chose the size of; the rest of an operation is small. */
const bytesOf = ({ operation }: WaitingOperation): number => {
  if (operation.kind !== "settle") return 0
  const { dataRequest, dataResult, execute, tally } = operation.report
  const phases = [execute, tally].map((phase) =>
    phase === null ? 0 : phase.result.length + phase.stdout.length + phase.stderr.length
  )
  const inputs = dataRequest.execInputs.length + dataRequest.tallyInputs.length
  return phases.reduce((sum, bytes) => sum + bytes, inputs + dataResult.result.length)
}

/** Commits that PostgreSQL works on at a time for this process; SQLite has one writer. */
const lanesOf = (sql: SqlClient): number => sql.onDialectOrElse({ pg: () => 4, orElse: () => 1 })

/** Whoever goes away before it has its hold never learns its id: such a hold is returned, or never taken. */
const undo = ({ nowMs, operation }: WaitingOperation) =>
  operation.kind !== "hold"
    ? undefined
    : {
        after: (outcome: LedgerOutcome): WaitingOperation | undefined =>
          Exit.isSuccess(outcome)
            ? { operation: { kind: "void", projectId: operation.projectId, hold: operation.hold }, nowMs }
            : undefined
      }

/** What an operation comes to. */
type Outcome = Balance | boolean | undefined

type Lane = Submit<WaitingOperation, Outcome, HoldRefusal>

const makeLanes = (sql: SqlClient): Effect.Effect<ReadonlyArray<Lane>, never, Scope.Scope> =>
  Effect.replicateEffect(
    makeGroupCommit({
      mostItems: mostOperations,
      ownerOf: ({ operation }) => operation.projectId,
      bytesOf,
      mostBytes,
      undo,
      commit: (waiting) => commitOperations(sql, waiting)
    }),
    lanesOf(sql)
  )

/** A project keeps to its lane, so that this process never waits for itself. Any sum of the id's letters will do. */
const laneOf = (lanes: ReadonlyArray<Lane>, projectId: string): Lane => {
  let sum = 0
  for (let at = 0; at < projectId.length; at += 1) sum = (sum * 31 + projectId.charCodeAt(at)) % 65_521
  const lane = lanes[sum % lanes.length]
  if (lane === undefined) throw new StoreDefect("a ledger without lanes")
  return lane
}

/** The ledger. What is asked of it at the same time shares durable transactions, and is answered after the commit. */
export const layerSqlLedger: Layer.Layer<Ledger, never, SqlClient | Entropy> = Layer.scoped(
  Ledger,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const newId = timeOrderedUuidOf(yield* Entropy)
    const lanes = yield* makeLanes(sql)
    const submit = (operation: LedgerOperation): Effect.Effect<Outcome, HoldRefusal> =>
      Effect.clockWith((clock) =>
        laneOf(lanes, operation.projectId)({ operation, nowMs: () => clock.unsafeCurrentTimeMillis() })
      )
    const unrefused = (operation: LedgerOperation): Effect.Effect<Outcome> =>
      Effect.orDie(submit(operation))
    return {
      hold: ({ projectId, usageLimit }, amount, leaseMs) =>
        amount < 0n
          ? Effect.die(new StoreDefect(`a hold of ${amount} credits`))
          : Effect.flatMap(newId, (holdId) => {
              const hold: Hold = { holdId, projectId, amount }
              return Effect.as(submit({ kind: "hold", projectId, hold, leaseMs, usageLimit }), hold)
            }),
      renew: (hold, leaseMs) =>
        Effect.map(
          unrefused({ kind: "renew", projectId: hold.projectId, hold, leaseMs }),
          (isOpen) => isOpen === true
        ),
      settle: (hold, report, storage = []) =>
        Effect.flatMap(unrefused({ kind: "settle", projectId: hold.projectId, hold, report, storage }), (balance) =>
          typeof balance !== "object" ? Effect.dieMessage("a settlement without a balance") : Effect.succeed(balance)
        ),
      void: (hold) => Effect.asVoid(unrefused({ kind: "void", projectId: hold.projectId, hold })),
      balance: (project) => orSqlDefect("reading a balance")(balanceNow(sql, project))
    }
  })
)
