/** The leases of feeds, in memory. */
import { Clock, type Context, Effect, Option } from "effect"
import {
  advancedTo,
  type FeedLease,
  type FeedLeaseRecord,
  type FeedLeaseVerdict,
  holdsLease,
  leasedTo,
  newEpoch,
  recordKeptMs,
  released,
  verdictOf
} from "../../domain/feeds/feedLease.ts"
import type { FeedLeases } from "../feeds/feedLeases.ts"
import type { MemoryState } from "./memoryState.ts"

/** Changes the record of a lease that holds; returns the new one. */
const changed = (state: MemoryState, lease: FeedLease, change: (record: FeedLeaseRecord, nowMs: number) => FeedLeaseRecord) =>
  Effect.map(Clock.currentTimeMillis, (nowMs) => {
    const record = state.feedSchedules.get(lease.feedKey)
    if (!holdsLease(record, lease, nowMs)) return undefined
    const next = change(record, nowMs)
    state.feedSchedules.set(lease.feedKey, next)
    return next
  })

/** Forgets schedules that nobody has held for long. */
const sweep = (state: MemoryState, nowMs: number): void => {
  for (const [feedKey, { leaseUntilMs }] of state.feedSchedules) {
    if (leaseUntilMs + recordKeptMs <= nowMs) state.feedSchedules.delete(feedKey)
  }
}

const takenBy = (found: FeedLeaseRecord | undefined, nowMs: number): FeedLeaseVerdict => {
  if (found === undefined) return { kind: "taken", leaseUntilMs: nowMs, nowMs }
  const { epoch, leaseUntilMs, owner, term } = found
  return { kind: "taken", leaseUntilMs, nowMs, holder: { owner, epoch, term } }
}

/** Leases over a state. */
export const memoryFeedLeases = (state: MemoryState): Context.Tag.Service<FeedLeases> => ({
  acquire: (input) =>
    Effect.map(Clock.currentTimeMillis, (nowMs) => {
      if (!state.feedSchedules.has(input.feedKey)) sweep(state, nowMs)
      const found = state.feedSchedules.get(input.feedKey)
      const record = leasedTo(found, input, nowMs)
      if (record === undefined) return takenBy(found, nowMs)
      state.feedSchedules.set(input.feedKey, record)
      return verdictOf(input.feedKey, record, nowMs)
    }),
  renew: (leases, leaseMs) =>
    Effect.filter(leases, (lease) =>
      Effect.map(
        changed(state, lease, (record, nowMs) => ({ ...record, leaseUntilMs: nowMs + leaseMs })),
        (record) => record !== undefined
      )
    ),
  advance: (lease, to) =>
    Effect.map(
      changed(state, lease, (record) => advancedTo(record, to)),
      (record) => record !== undefined
    ),
  beginEpoch: (lease) =>
    Effect.map(
      changed(state, lease, (record, nowMs) => ({ ...record, ...newEpoch(record, nowMs) })),
      (record) => Option.map(Option.fromNullable(record), ({ epoch, nextTick, seq }) => ({ epoch, nextTick, seq }))
    ),
  release: (lease, forget = false) => Effect.asVoid(changed(state, lease, (record, nowMs) => released(record, forget, nowMs)))
})
