/** What a project's runs on this server have needed in the last seconds, which says how large its escrow should be. */
import type { CreditDemand } from "./escrowSize.ts"

/** Needs are counted in windows of this length; the current one and the one before count. */
const windowMs = 5_000

interface Window {
  holds: number
  amount: bigint
  peakDrawn: bigint
  spent: bigint
}

const emptyWindow = (): Window => ({ holds: 0, amount: 0n, peakDrawn: 0n, spent: 0n })

const larger = (left: bigint, right: bigint): bigint => (left > right ? left : right)

/** Counts holds and prices. */
export class DemandMeter {
  #startMs: number
  #now = emptyWindow()
  #before = emptyWindow()

  constructor(nowMs: number) {
    this.#startMs = nowMs
  }

  #roll(nowMs: number): void {
    const ageMs = nowMs - this.#startMs
    if (ageMs >= 0 && ageMs < windowMs) return
    this.#before = ageMs >= 0 && ageMs < 2 * windowMs ? this.#now : emptyWindow()
    this.#now = emptyWindow()
    this.#startMs = nowMs
  }

  /** A run holds this much. */
  held(amount: bigint, nowMs: number): void {
    this.#roll(nowMs)
    this.#now.holds += 1
    this.#now.amount = larger(this.#now.amount, amount)
  }

  /** So much is drawn at once. */
  drawn(credits: bigint, nowMs: number): void {
    this.#roll(nowMs)
    this.#now.peakDrawn = larger(this.#now.peakDrawn, credits)
  }

  /** A run has cost this much. */
  spent(credits: bigint, nowMs: number): void {
    this.#roll(nowMs)
    this.#now.spent += credits
  }

  /** How many runs began in the last five to ten seconds. */
  holdsAt(nowMs: number): number {
    this.#roll(nowMs)
    return this.#now.holds + this.#before.holds
  }

  /** What the last five to ten seconds needed. */
  demandAt(nowMs: number): CreditDemand {
    this.#roll(nowMs)
    const [now, before] = [this.#now, this.#before]
    return {
      amount: larger(now.amount, before.amount),
      peakDrawn: larger(now.peakDrawn, before.peakDrawn),
      spentPerSecond: (larger(now.spent, before.spent) * 1_000n) / BigInt(windowMs)
    }
  }
}
