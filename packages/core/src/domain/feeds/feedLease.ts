/** Who owns a feed's schedule, and how far it has come: a lease in a store, and the rules for it (decision D50). */

/** How far a feed's schedule has come. A former owner's successor continues from here. */
export interface FeedSchedule {
  /**
   * The origin of the schedule: milliseconds since the Unix epoch, by the store's time. A new epoch, which is always later, begins when
   * the definition changes or continuity was lost; then ticks and numbers begin at 0 again. A change of owner begins none.
   */
  readonly epoch: number
  /** The first tick that no owner has taken. */
  readonly nextTick: number
  /** The number of the next result. */
  readonly seq: number
}

/** The right to run a feed's ticks. Another `term` of the same owner is another lease. */
export interface FeedLease {
  readonly feedKey: string
  readonly owner: string
  readonly term: number
}

/** A request for a lease. `owner` is unique to a process. */
export interface FeedLeaseInput {
  readonly feedKey: string
  readonly owner: string
  readonly leaseMs: number
}

/** What a store keeps of a feed's schedule. */
export interface FeedLeaseRecord extends FeedSchedule {
  readonly owner: string
  readonly term: number
  /** From this time on, by the store's clock, the lease is over. */
  readonly leaseUntilMs: number
}

/** The answer to a request for a lease. `nowMs` is the store's time, by which the schedule runs. */
export type FeedLeaseVerdict =
  | {
      readonly kind: "held"
      readonly lease: FeedLease
      readonly schedule: FeedSchedule
      readonly leaseUntilMs: number
      readonly nowMs: number
    }
  | {
      readonly kind: "taken"
      readonly leaseUntilMs: number
      readonly nowMs: number
      /** Who has the lease, and in which term: what is heard of earlier ones is old, and later ones a store that went back does not know. */
      readonly holder?: { readonly owner: string; readonly epoch: number; readonly term: number }
    }

/** A schedule that nobody has held for so long is forgotten: a later owner begins a new epoch. */
export const scheduleKeptMs = 30 * 86_400_000

/** How much longer the record of a forgotten schedule stays, so that the epoch of a feed that is forgotten and begins again is a later one. */
export const recordKeptMs = scheduleKeptMs + 60_000

/** The schedule of a new epoch. */
export const newEpoch = (before: FeedSchedule | undefined, nowMs: number): FeedSchedule => ({
  epoch: Math.max(nowMs, (before?.epoch ?? Number.NEGATIVE_INFINITY) + 1),
  nextTick: 0,
  seq: 0
})

/** Whether the lease is the one in the record, and not over. */
export const holdsLease = (record: FeedLeaseRecord | undefined, lease: FeedLease, nowMs: number): record is FeedLeaseRecord =>
  record !== undefined && record.owner === lease.owner && record.term === lease.term && nowMs < record.leaseUntilMs

/** The record after a request, if the lease is free or the owner's own. */
export const leasedTo = (found: FeedLeaseRecord | undefined, input: FeedLeaseInput, nowMs: number): FeedLeaseRecord | undefined => {
  const { leaseMs, owner } = input
  if (found !== undefined && found.owner !== owner && nowMs < found.leaseUntilMs) return undefined
  const isForgotten = found === undefined || found.leaseUntilMs + scheduleKeptMs <= nowMs
  const { epoch, nextTick, seq } = isForgotten ? newEpoch(found, nowMs) : found
  return { epoch, nextTick, seq, owner, term: (found?.term ?? 0) + 1, leaseUntilMs: nowMs + leaseMs }
}

/** The record after an owner has taken ticks: a schedule never goes back. */
export const advancedTo = (record: FeedLeaseRecord, to: Pick<FeedSchedule, "nextTick" | "seq">): FeedLeaseRecord => ({
  ...record,
  nextTick: Math.max(record.nextTick, to.nextTick),
  seq: Math.max(record.seq, to.seq)
})

/** The record after its owner has let it go. */
export const released = (record: FeedLeaseRecord, forget: boolean, nowMs: number): FeedLeaseRecord => ({
  ...record,
  leaseUntilMs: forget ? nowMs - scheduleKeptMs : nowMs
})

/** The verdict that a record stands for, for the owner who wrote it. */
export const verdictOf = (feedKey: string, record: FeedLeaseRecord, nowMs: number): FeedLeaseVerdict => {
  const { epoch, leaseUntilMs, nextTick, owner, seq, term } = record
  return { kind: "held", lease: { feedKey, owner, term }, schedule: { epoch, nextTick, seq }, leaseUntilMs, nowMs }
}
