/** What a store must read before operations can be decided. */
import type { ChargedRun } from "./credits.ts"
import type { TimedOperation } from "./ledgerOperation.ts"
import { type HoldRecord, usagePeriodAt } from "./ledgerSnapshot.ts"

/** What a {@link LedgerSnapshot} of these projects has to contain. */
export interface LedgerQuery {
  readonly projectIds: ReadonlyArray<string>
  /** Holds by id, in any state. */
  readonly holdIds: ReadonlyArray<string>
  /** Report ids to look up: the snapshot's `charged` has those that exist. */
  readonly reportIds: ReadonlyArray<string>
  /** The drIds whose last timestamps are needed. */
  readonly drIds: ReadonlyArray<string>
  /** Every open hold whose lease ends at or before this time; and every open escrow. */
  readonly leaseEndMs: number
  /** The times at which operations are applied. */
  readonly atMs: ReadonlyArray<number>
  /** Period lengths of the usage limits. */
  readonly periodsMs: ReadonlyArray<number>
}

/**
 * What operations need to know. Holds that are about to be taken are looked up only if they `mayBeTaken` already, by a commit whose
 * acknowledgement was lost.
 */
export const queryOf = <Report extends ChargedRun>(operations: ReadonlyArray<TimedOperation<Report>>, mayBeTaken: boolean): LedgerQuery => {
  const projectIds = new Set<string>()
  const holdIds = new Set<string>()
  const reportIds = new Set<string>()
  const drIds = new Set<string>()
  const periodsMs = new Set<number>()
  const atMs = new Set<number>()
  let leaseEndMs = Number.NEGATIVE_INFINITY
  for (const { nowMs, operation } of operations) {
    projectIds.add(operation.projectId)
    atMs.add(nowMs)
    leaseEndMs = Math.max(leaseEndMs, operation.kind === "voidAll" ? Number.MAX_SAFE_INTEGER : nowMs)
    if ("hold" in operation && operation.kind !== "charge" && (mayBeTaken || operation.kind !== "hold")) holdIds.add(operation.hold.holdId)
    if (operation.kind === "charge") holdIds.add(operation.escrowId)
    if (operation.kind === "settle" || operation.kind === "charge") {
      reportIds.add(operation.report.id)
      if (operation.chosen !== undefined) drIds.add(operation.chosen.drId)
    }
    if ((operation.kind === "hold" || operation.kind === "reserve") && operation.usageLimit !== null)
      periodsMs.add(operation.usageLimit.periodMs)
  }
  return {
    projectIds: [...projectIds],
    holdIds: [...holdIds],
    reportIds: [...reportIds],
    drIds: [...drIds],
    periodsMs: [...periodsMs],
    atMs: [...atMs],
    leaseEndMs
  }
}

/**
 * The usage needed once the holds are known: every period with one of these lengths and start times. These are the periods of the holds,
 * and the current ones for the lengths of the holds and the limits.
 */
export const usagePeriodsOf = (
  holds: Iterable<HoldRecord>,
  { atMs, periodsMs }: LedgerQuery
): { readonly periodsMs: ReadonlyArray<number>; readonly startsMs: ReadonlyArray<number> } => {
  const lengths = new Set(periodsMs)
  const starts = new Set<number>()
  for (const { period } of holds) {
    if (period === null) continue
    lengths.add(period.periodMs)
    starts.add(period.startMs)
  }
  for (const periodMs of lengths) for (const ms of atMs) starts.add(usagePeriodAt({ periodMs }, ms)?.startMs ?? 0)
  return { periodsMs: [...lengths], startsMs: [...starts] }
}
