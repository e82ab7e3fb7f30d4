/** An escrow in the memory of its server: what it holds, and the holds that were drawn from it. */
import { TransientMap } from "../encoding/transientMap.ts"
import type { Hold } from "./balance.ts"
import type { UsageLimit } from "../accounts/project.ts"
import { periodKey, type UsagePeriod, usagePeriodAt } from "./ledgerSnapshot.ts"

/** The state of a drawn hold. While its charge is being written, its outcome is not known. */
export type DrawState = "open" | "settling" | "settled" | "voided"

/** A drawn hold. */
export interface Draw {
  readonly hold: Hold
  readonly escrow: Escrow
  /** It is void from this time on; never later than the end of the escrow's lease. */
  leaseEndMs: number
  state: DrawState
  /** The run that it has paid for. */
  reportId: string | undefined
}

/** A hold that was drawn. What became of it is known for as long as anybody has it; a weak map would keep both from young collections. */
export class DrawnHold implements Hold {
  readonly holdId: string
  readonly projectId: string
  readonly amount: bigint
  readonly escrowId: string
  #draw: Draw | undefined

  constructor(holdId: string, { escrowId, projectId }: EscrowTerms, amount: bigint) {
    this.holdId = holdId
    this.projectId = projectId
    this.amount = amount
    this.escrowId = escrowId
  }

  /** What became of a hold; undefined of one that is not the object that was drawn. */
  static drawOf(hold: Hold): Draw | undefined {
    return #draw in hold ? hold.#draw : undefined
  }

  /** It was drawn. */
  begin(draw: Draw): void {
    this.#draw = draw
  }
}

/** How an escrow was opened. */
export interface EscrowTerms {
  readonly escrowId: string
  readonly projectId: string
  readonly usageLimit: UsageLimit | null
  readonly openedAtMs: number
  /** The lease of a hold that is drawn from it. */
  readonly leaseMs: number
}

const isSameLimit = (left: UsageLimit | null, right: UsageLimit | null): boolean =>
  left === null || right === null ? left === right : left.periodMs === right.periodMs && left.credits === right.credits

/** How long an escrow is held for holds with this lease: longer, so that they can be drawn for a while without renewing it. */
export const escrowLeaseMs = (leaseMs: number): number => leaseMs + Math.ceil(leaseMs / 2)

/** What an escrow holds as far as this server knows for sure; the database may have more, never less. */
export class Escrow {
  readonly terms: EscrowTerms
  readonly #period: UsagePeriod | null
  readonly #draws = new TransientMap<string, Draw>()
  #amount: bigint
  #open = 0n
  #settling = 0n
  #leaseEndMs: number
  #mayLastUntilMs = Number.NEGATIVE_INFINITY
  #nextLeaseEndMs = Number.POSITIVE_INFINITY
  /** Nothing is drawn from it any more. */
  isRetired = false
  /** Retired, and what is not drawn has been given back. */
  isReleased = false
  lastUsedMs: number

  constructor(terms: EscrowTerms, amount: bigint, leaseEndMs: number) {
    this.terms = terms
    this.#period = usagePeriodAt(terms.usageLimit, terms.openedAtMs)
    this.#amount = amount
    this.#leaseEndMs = leaseEndMs
    this.lastUsedMs = terms.openedAtMs
  }

  /** What can be drawn. */
  get free(): bigint {
    const free = this.#amount - this.#open - this.#settling
    return free > 0n ? free : 0n
  }

  /** What is drawn, charges that are being written included. */
  get drawn(): bigint {
    return this.#open + this.#settling
  }

  /**
   * What an operation says is drawn. Charges that are being written come before it, so that they do not count; but once the escrow gives
   * back what is not drawn, they count, because one that fails will be repeated.
   */
  get drawnToSay(): bigint {
    return this.isRetired ? this.drawn : this.#open
  }

  /** Whether what it says counts charges that are being written, of which `own` is one. */
  mayBeLess(own = 0n): boolean {
    return this.isRetired && this.#settling > own
  }

  get leaseEndMs(): number {
    return this.#leaseEndMs
  }

  /** Whether a project with this limit may draw from it now: a limit that was changed, or its next period, needs another escrow. */
  serves(usageLimit: UsageLimit | null, nowMs: number): boolean {
    if (this.isRetired || nowMs >= this.#leaseEndMs || !isSameLimit(usageLimit, this.terms.usageLimit)) return false
    const period = usagePeriodAt(usageLimit, nowMs)
    return period === null || (this.#period !== null && periodKey(period) === periodKey(this.#period))
  }

  /** Whether holds with a lease until then can be drawn without renewing it. */
  lastsUntil(leaseEndMs: number): boolean {
    return leaseEndMs <= this.#leaseEndMs
  }

  /** It holds more. */
  extend(added: bigint): void {
    this.#amount += added
  }

  /** Its own lease ends then, if not later. */
  renew(leaseEndMs: number): void {
    this.#leaseEndMs = Math.max(this.#leaseEndMs, leaseEndMs)
  }

  /** Whether the database may have a later end of its lease: it was to be renewed until then, and whether it was is not known. */
  mayOutlast(nowMs: number): boolean {
    return nowMs < this.#mayLastUntilMs
  }

  /** An operation that renews it until then was not acknowledged. */
  maybeRenewed(leaseEndMs: number): void {
    this.#mayLastUntilMs = Math.max(this.#mayLastUntilMs, leaseEndMs)
  }

  /** Nothing more is drawn from it, and what is not drawn has still to be given back. */
  retire(): void {
    this.isRetired = true
    this.isReleased = false
  }

  /** Draws a hold, which must be free. */
  draw(hold: Hold, leaseEndMs: number, nowMs: number): Draw {
    const draw: Draw = { hold, escrow: this, leaseEndMs, state: "open", reportId: undefined }
    this.#draws.set(hold.holdId, draw)
    this.#open += hold.amount
    this.#nextLeaseEndMs = Math.min(this.#nextLeaseEndMs, leaseEndMs)
    this.lastUsedMs = nowMs
    return draw
  }

  /** The drawn hold that is not resolved yet. */
  find(holdId: string): Draw | undefined {
    return this.#draws.get(holdId)
  }

  /** Voids the holds whose lease has ended. */
  lapse(nowMs: number): void {
    if (nowMs < this.#nextLeaseEndMs) return
    let next = Number.POSITIVE_INFINITY
    for (const draw of this.#draws.values()) {
      if (draw.state === "open" && draw.leaseEndMs <= nowMs) this.giveBack(draw)
      else next = Math.min(next, draw.leaseEndMs)
    }
    this.#nextLeaseEndMs = next
  }

  /** An open hold returns. */
  giveBack(draw: Draw): void {
    if (draw.state !== "open") return
    draw.state = "voided"
    this.isReleased = false
    this.#open -= draw.hold.amount
    this.#draws.delete(draw.hold.holdId)
  }

  /** The charge of an open hold is being written. */
  beginSettling(draw: Draw): void {
    if (draw.state !== "open") return
    draw.state = "settling"
    this.#open -= draw.hold.amount
    this.#settling += draw.hold.amount
  }

  /** The charge was written. */
  settled(draw: Draw, posted: bigint, reportId: string, nowMs: number): void {
    if (draw.state !== "settling") return
    draw.state = "settled"
    draw.reportId = reportId
    this.#settling -= draw.hold.amount
    this.#amount -= posted
    this.#draws.delete(draw.hold.holdId)
    this.lastUsedMs = nowMs
  }

  /** The charge was not written, as far as is known. */
  reopen(draw: Draw): void {
    if (draw.state !== "settling") return
    draw.state = "open"
    this.#settling -= draw.hold.amount
    this.#open += draw.hold.amount
  }

  /** The database has voided it. */
  lose(): void {
    this.isRetired = true
    for (const draw of this.#draws.values()) this.giveBack(draw)
  }
}
