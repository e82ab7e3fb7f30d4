/** Every project's credits, in memory: snapshots are read from the state and changes are written to it. */
import { Clock, type Context, Effect } from "effect"
import type { Balance } from "../../domain/credits/balance.ts"
import { applyOperations, balanceAt, type DrawnOf } from "../../domain/credits/applyOperations.ts"
import type { LedgerChanges, LedgerOperation, LedgerOutcome } from "../../domain/credits/ledgerOperation.ts"
import { type LedgerQuery, queryOf } from "../../domain/credits/ledgerQuery.ts"
import { type HoldRecord, type LedgerSnapshot, periodKey } from "../../domain/credits/ledgerSnapshot.ts"
import type { Project } from "../../domain/accounts/project.ts"
import type { Entropy } from "../entropy.ts"
import type { Ledger } from "../ledger.ts"
import { makeLedger } from "../makeLedger.ts"
import { keepWithCharge } from "./memoryIdempotency.ts"
import { keepStorage } from "./memoryProgramStorage.ts"
import { appendReport, reportName, requestName } from "./memoryResultStore.ts"
import { existing, type MemoryCredits, type MemoryState } from "./memoryState.ts"

const holdsOf = (
  { openHolds, resolvedHolds }: MemoryCredits,
  { holdIds, leaseEndMs }: Pick<LedgerQuery, "holdIds" | "leaseEndMs">
): ReadonlyMap<string, HoldRecord> => {
  const holds = new Map<string, HoldRecord>()
  for (const hold of openHolds.values()) if (hold.leaseEndMs <= leaseEndMs || hold.escrow !== null) holds.set(hold.holdId, hold)
  for (const holdId of holdIds) {
    const hold = openHolds.get(holdId) ?? resolvedHolds.get(holdId)
    if (hold !== undefined) holds.set(holdId, hold)
  }
  return holds
}

const snapshotOf = (
  state: MemoryState,
  projectId: string,
  query: Pick<LedgerQuery, "drIds" | "holdIds" | "leaseEndMs" | "reportIds">
): LedgerSnapshot => {
  const credits = existing(state.credits, projectId, "project")
  return {
    projectId,
    account: credits.account,
    lastEntry: credits.journal.length,
    holds: holdsOf(credits, query),
    usage: credits.usage,
    charged: new Map(
      query.reportIds.flatMap((id) => {
        const name = reportName(projectId, id)
        return state.reportsById.has(name) ? [[id, state.drawnHoldIds.get(name) ?? null] as const] : []
      })
    ),
    times: new Map(
      query.drIds.flatMap((drId) => {
        const time = state.timestamps.get(requestName(projectId, drId))
        return time === undefined ? [] : [[drId, time] as const]
      })
    )
  }
}

const write = (state: MemoryState, changes: LedgerChanges): void => {
  const credits = existing(state.credits, changes.projectId, "project")
  credits.account = changes.account
  credits.journal.push(...changes.entries)
  for (const hold of [...changes.taken, ...changes.changed, ...changes.resolved]) {
    const isOpen = hold.state === "held"
    if (!isOpen) credits.openHolds.delete(hold.holdId)
    const holds = isOpen ? credits.openHolds : credits.resolvedHolds
    holds.set(hold.holdId, hold)
  }
  for (const { drId, ...time } of changes.times) state.timestamps.set(requestName(changes.projectId, drId), time)
  for (const usage of changes.usage) credits.usage.set(periodKey(usage.period), usage)
  for (const { answer, drawnHoldId, entry, report, storage } of changes.reports) {
    appendReport(state, report, entry)
    if (drawnHoldId !== null) state.drawnHoldIds.set(reportName(report.projectId, report.id), drawnHoldId)
    keepStorage(state, report, storage)
    if (answer !== undefined) keepWithCharge(state, report, answer)
  }
}

/** Applies an operation in one synchronous step. */
export const performOperation = (state: MemoryState, operation: LedgerOperation, nowMs: number): LedgerOutcome => {
  const { projectId } = operation
  const timed = [{ operation, nowMs }]
  const snapshot = state.credits.has(projectId) ? [snapshotOf(state, projectId, queryOf(timed, true))] : []
  const { changes, outcomes } = applyOperations(new Map(snapshot.map((known) => [projectId, known])), timed)
  for (const change of changes) write(state, change)
  return outcomes[0] ?? { kind: "breach", message: "an operation without an outcome" }
}

/** The project's balance now. */
export const balanceOf = (state: MemoryState, { projectId, usageLimit }: Project, nowMs: number, drawnOf?: DrawnOf): Balance =>
  balanceAt(snapshotOf(state, projectId, { drIds: [], holdIds: [], reportIds: [], leaseEndMs: nowMs }), usageLimit, nowMs, drawnOf)

/** The ledger over a state. */
export const memoryLedger = (state: MemoryState, entropy: Context.Tag.Service<Entropy>): Context.Tag.Service<Ledger> =>
  makeLedger(
    {
      perform: (operation) => Effect.map(Clock.currentTimeMillis, (nowMs) => performOperation(state, operation, nowMs)),
      balance: (project, drawnOf) => Effect.map(Clock.currentTimeMillis, (nowMs) => balanceOf(state, project, nowMs, drawnOf))
    },
    entropy
  )
