/** The escrows of one project on this server, and what is known about drawing from them. */
import { DemandMeter } from "../../domain/credits/creditDemand.ts"
import type { Draw, Escrow } from "../../domain/credits/escrow.ts"
import { escrowSize } from "../../domain/credits/escrowSize.ts"
import type { DrawnEscrow } from "../../domain/credits/ledgerOperation.ts"
import { SharedWork } from "./sharedWork.ts"

/** When escrows are used. All times in milliseconds. */
export interface EscrowPolicy {
  /** The run with this number within the last five to ten seconds is the first one that opens an escrow. */
  readonly firstRun: number
  /** An escrow from which nothing was drawn for this long is given back. */
  readonly idleMs: number
  /** How long runs have holds of their own after credits were short, or were recalled. */
  readonly exactMs: number
  /** How often recalls are looked up, and unused escrows are looked for. */
  readonly lookMs: number
  /** How long a hold that lacks credits waits for the escrows of other servers at most. */
  readonly recallMs: number
}

/** The policy of a server. */
export const defaultEscrowPolicy: EscrowPolicy = { firstRun: 3, idleMs: 10_000, exactMs: 3_000, lookMs: 200, recallMs: 10_000 }

/** The pause between two additions to an escrow. */
const topUpPauseMs = 250

/** One project's escrows. */
export class ProjectEscrows {
  readonly projectId: string
  readonly demand: DemandMeter
  /** The one that runs draw from. */
  current: Escrow | undefined
  /** All that are not closed, by id. */
  readonly escrows = new Map<string, Escrow>()
  /** Until then runs have holds of their own. */
  exactUntilMs = Number.NEGATIVE_INFINITY
  /** Until then nothing is added in advance. */
  topUpAfterMs = Number.NEGATIVE_INFINITY
  /** The holds that wait for credits of an escrow. */
  waiting = 0n
  /** That credits are reserved in advance, or asked for from other servers. */
  readonly work = new SharedWork<"reserving" | "recalling">()
  /** The escrows of servers that did not answer: they are not waited for again, and end with their leases. */
  readonly silent = new Set<string>()
  lastHoldMs: number

  constructor(projectId: string, nowMs: number) {
    this.projectId = projectId
    this.demand = new DemandMeter(nowMs)
    this.lastHoldMs = nowMs
  }

  /** What is drawn in all. */
  get drawn(): bigint {
    let sum = 0n
    for (const { drawn } of this.escrows.values()) sum += drawn
    return sum
  }

  /** What an operation says about the escrow; `undefined` if there is none. */
  said(escrow = this.current): { readonly drawn: DrawnEscrow } | Record<string, never> {
    if (escrow === undefined) return {}
    return { drawn: { escrowId: escrow.terms.escrowId, drawn: escrow.drawnToSay, mayBeLess: escrow.mayBeLess() } }
  }

  /** Voids what has lapsed. An escrow that the database may hold for longer is to be given back. */
  lapse(nowMs: number): void {
    for (const [escrowId, escrow] of this.escrows) {
      escrow.lapse(nowMs)
      if (nowMs < escrow.leaseEndMs || escrow.drawn > 0n) continue
      if (escrow.mayOutlast(nowMs)) this.retire(escrow)
      else this.close(escrowId)
    }
  }

  /** Nothing more is drawn from it, and what is not drawn has still to be given back. */
  retire(escrow: Escrow): void {
    escrow.retire()
    if (this.current === escrow) this.current = undefined
  }

  /** The retired escrows of which something is to be given back. */
  get unreleased(): ReadonlyArray<Escrow> {
    return [...this.escrows.values()].filter(({ isReleased, isRetired }) => isRetired && !isReleased)
  }

  /** The escrow is no more. */
  close(escrowId: string): void {
    if (this.current?.terms.escrowId === escrowId) this.current = undefined
    this.escrows.delete(escrowId)
  }

  /** A drawn hold that is not resolved. */
  find(escrowId: string, holdId: string): Draw | undefined {
    return this.escrows.get(escrowId)?.find(holdId)
  }

  /** The size that the escrow should have for the runs so far and those that wait. */
  sizeAt(nowMs: number): bigint {
    return escrowSize(this.demand.demandAt(nowMs)) + 2n * this.waiting
  }

  /** Whether credits should be added before they are needed. */
  isLow(nowMs: number): boolean {
    const { current, work } = this
    return current !== undefined && !work.isUnderWay("reserving") && nowMs >= this.topUpAfterMs && 2n * current.free < this.sizeAt(nowMs)
  }

  /** Credits were added, or were to be added. */
  toppedUp(nowMs: number): void {
    this.topUpAfterMs = nowMs + topUpPauseMs
  }

  /** Credits are short: runs have holds of their own for a while. */
  short(nowMs: number, { exactMs }: EscrowPolicy): void {
    this.exactUntilMs = nowMs + exactMs
  }

  /** Whether nothing has to be remembered. */
  isOver(nowMs: number, { idleMs }: EscrowPolicy): boolean {
    return this.escrows.size === 0 && this.waiting === 0n && nowMs - this.lastHoldMs >= idleMs
  }

  /** Whether the current escrow is given back: it is not used, or holds much more than is needed. */
  isIdle(nowMs: number, { idleMs }: EscrowPolicy): boolean {
    const { current } = this
    if (current === undefined) return false
    return nowMs - current.lastUsedMs >= idleMs || current.free > 16n * this.sizeAt(nowMs)
  }
}
