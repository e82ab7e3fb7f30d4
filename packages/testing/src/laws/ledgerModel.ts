/** A simple model of the ledger: it stores the history and computes everything from it on every query. */
import type { Balance } from "@sibyl/core"

/** The state of a modelled hold; a lapsed lease needs no event. */
type Outcome = { readonly kind: "open" | "voided" } | { readonly kind: "posted"; readonly price: bigint }

/** A hold that was taken. */
export interface ModelHold {
  readonly project: number
  readonly amount: bigint
  readonly takenAtMs: number
  leaseEndMs: number
  outcome: Outcome
}

/** One step, of clients or of time. `hold` in post, renew and void is an index into the holds taken so far, modulo their number. */
export type LedgerStep =
  | { readonly kind: "grant"; readonly project: number; readonly credits: bigint }
  | { readonly kind: "withdraw"; readonly project: number; readonly credits: bigint }
  | { readonly kind: "hold"; readonly project: number; readonly amount: bigint; readonly leaseMs: number }
  | { readonly kind: "post"; readonly hold: number; readonly price: bigint }
  | { readonly kind: "renew"; readonly hold: number; readonly leaseMs: number }
  | { readonly kind: "void"; readonly hold: number }
  | { readonly kind: "wait"; readonly ms: number }

/** The outcome of a step. */
export type StepOutcome = "done" | "InsufficientCredits" | "CreditLimitExceeded" | "StoreDefect"

/** A project's usage limit, as the model has it. */
export interface ModelLimit {
  readonly periodMs: number
  readonly credits: bigint
}

const sum = (numbers: ReadonlyArray<bigint>): bigint => numbers.reduce((total, next) => total + next, 0n)

/** The ledger's history. */
export class LedgerModel {
  readonly grants: Array<{ readonly project: number; readonly credits: bigint }> = []
  readonly holds: Array<ModelHold> = []
  readonly limits: ReadonlyArray<ModelLimit | null>
  nowMs: number

  constructor(limits: ReadonlyArray<ModelLimit | null>, nowMs: number) {
    this.limits = limits
    this.nowMs = nowMs
  }

  /** What a hold takes now: its amount while it is open, its price once posted, else nothing. */
  private weightOf({ amount, leaseEndMs, outcome }: ModelHold): Pick<Balance, "used" | "held"> {
    if (outcome.kind === "posted") return { used: outcome.price < amount ? outcome.price : amount, held: 0n }
    const open = outcome.kind === "open" && this.nowMs < leaseEndMs
    return { used: 0n, held: open ? amount : 0n }
  }

  /** The current balance of a project. */
  balance(project: number): Balance {
    const holds = this.holds.filter((hold) => hold.project === project)
    const weights = holds.map((hold) => this.weightOf(hold))
    const limit = this.limits[project] ?? null
    const periodOf = (ms: number): number => (limit === null ? Number.NaN : Math.floor(ms / limit.periodMs))
    const ofThisPeriod = weights.filter((_, at) => periodOf(holds[at]?.takenAtMs ?? 0) === periodOf(this.nowMs))
    return {
      granted: sum(this.grants.filter((grant) => grant.project === project).map(({ credits }) => credits)),
      used: sum(weights.map(({ used }) => used)),
      held: sum(weights.map(({ held }) => held)),
      periodUsed: sum(ofThisPeriod.map(({ held, used }) => held + used))
    }
  }

  /** Takes a step and returns its outcome. */
  step(step: LedgerStep): StepOutcome {
    switch (step.kind) {
      case "grant":
        this.grants.push(step)
        return "done"
      case "withdraw":
        return this.withdraw(step.project, step.credits)
      case "wait":
        this.nowMs += step.ms
        return "done"
      case "hold":
        return this.hold(step.project, step.amount, step.leaseMs)
      case "renew":
        return this.renew(step.hold, step.leaseMs)
      case "void":
        return this.resolve(step.hold, { kind: "voided" })
      case "post":
        return this.resolve(step.hold, { kind: "posted", price: step.price })
    }
  }

  /** What is taken back was never granted. */
  private withdraw(project: number, credits: bigint): StepOutcome {
    const { granted, held, used } = this.balance(project)
    if (granted - used - held < credits) return "InsufficientCredits"
    this.grants.push({ project, credits: -credits })
    return "done"
  }

  private hold(project: number, amount: bigint, leaseMs: number): StepOutcome {
    const { granted, held, periodUsed, used } = this.balance(project)
    const limit = this.limits[project] ?? null
    if (granted - used - held < amount) return "InsufficientCredits"
    if (limit !== null && periodUsed + amount > limit.credits) return "CreditLimitExceeded"
    this.holds.push({ project, amount, leaseEndMs: this.nowMs + leaseMs, takenAtMs: this.nowMs, outcome: { kind: "open" } })
    return "done"
  }

  private renew(at: number, leaseMs: number): StepOutcome {
    const hold = this.holds[at % this.holds.length]
    if (hold !== undefined && this.nowMs < hold.leaseEndMs) {
      hold.leaseEndMs = Math.max(hold.leaseEndMs, this.nowMs + leaseMs)
    }
    return "done"
  }

  private resolve(at: number, as: Outcome): StepOutcome {
    const hold = this.holds[at % this.holds.length]
    if (hold === undefined || hold.outcome.kind === "posted") return "done"
    const over = hold.outcome.kind === "voided" || this.nowMs >= hold.leaseEndMs
    if (over) return as.kind === "posted" ? "StoreDefect" : "done"
    hold.outcome = as
    return "done"
  }

  /** The charges for the posted holds of a project, in the order in which they were taken. */
  charges(project: number): ReadonlyArray<bigint> {
    return this.holds.filter((hold) => hold.project === project && hold.outcome.kind === "posted").map((hold) => this.weightOf(hold).used)
  }
}
