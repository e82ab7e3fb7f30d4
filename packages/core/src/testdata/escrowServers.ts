/** Servers with escrows over one ledger in memory, which can be killed at any moment and lose acknowledgements. */
import { Clock, Effect, Exit, Scope } from "effect"
import type { Hold } from "../domain/credits/balance.ts"
import type { Project } from "../domain/accounts/project.ts"
import { accountOf } from "./ledgerHistories.ts"
import { ChosenTimes } from "../domain/runs/chosenTimes.ts"
import { entropyOf } from "../ports/entropy.ts"
import type { Ledger } from "../ports/ledger.ts"
import { makeEscrowLedger } from "../ports/escrow/escrowLedger.ts"
import { balanceOf, performOperation } from "../ports/memory/memoryLedger.ts"
import { emptyState, existing, type MemoryState, noCredits } from "../ports/memory/memoryState.ts"
import { StoreUnavailable } from "../ports/storeUnavailable.ts"

/** Escrows from the first run on, and short waits. */
const policy = { firstRun: 1, idleMs: 5_000, exactMs: 40, lookMs: 2, recallMs: 100 }

let entropyCount = 0

/** Different bytes every time, without the cost of random ones. */
const entropy = entropyOf((count) => {
  entropyCount += 1
  return Uint8Array.from({ length: count }, (_, at) => (entropyCount >>> (8 * (at % 4))) & 0xff)
})

/** One server. */
export interface EscrowServer {
  readonly ledger: Ledger["Type"]
  readonly scope: Scope.CloseableScope
  /** The holds that were given to its runs and are not resolved. */
  readonly open: Map<Hold, number>
  /** The holds and escrows that it knows to be in the database. */
  readonly known: Set<string>
  /** This life of it, and the timestamps that it chooses. */
  readonly owner: string
  readonly times: ChosenTimes
  isKilled: boolean
  /** How many of its next operations are carried out without an acknowledgement. */
  losing: number
}

/** One project's credits, and the servers over them. */
export class EscrowWorld {
  readonly state: MemoryState = emptyState("test")
  readonly project: Project
  readonly servers: Array<EscrowServer> = []

  constructor(project: Project, granted: bigint) {
    this.project = project
    this.state.credits.set(project.projectId, noCredits())
    performOperation(this.state, { kind: "grant", projectId: project.projectId, credits: granted }, 0)
  }

  /** Starts a server. */
  readonly start = Effect.gen(this, function* () {
    const scope = yield* Scope.make()
    const owner = `server ${this.servers.length}`
    const books = { open: new Map<Hold, number>(), known: new Set<string>() }
    const server = { ...books, owner, times: new ChosenTimes(), isKilled: false, losing: 0, scope }
    const mine: { -readonly [Key in keyof typeof server]: (typeof server)[Key] } = server
    /** A killed server's operations neither happen nor end. */
    const whileAlive = <A>(effect: Effect.Effect<A>): Effect.Effect<A> =>
      Effect.zipRight(
        Effect.yieldNow(),
        Effect.suspend(() => (mine.isKilled ? Effect.interruptible(Effect.never) : effect))
      )
    const ledger = yield* Scope.extend(
      makeEscrowLedger(
        {
          perform: (operation) =>
            whileAlive(
              Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
                const outcome = performOperation(this.state, operation, nowMs)
                if (mine.losing > 0) {
                  mine.losing -= 1
                  return Effect.die(new StoreUnavailable("the acknowledgement was lost"))
                }
                const isKnown = outcome.kind === "done" || (outcome.kind === "reserved" && outcome.added > 0n)
                if (isKnown && "hold" in operation) mine.known.add(operation.hold.holdId)
                return Effect.succeed(outcome)
              })
            ),
          balance: (project, drawnOf) =>
            whileAlive(Effect.map(Clock.currentTimeMillis, (nowMs) => balanceOf(this.state, project, nowMs, drawnOf))),
          recalled: whileAlive(
            Effect.sync(() => this.openHolds.filter(({ escrow }) => escrow?.state === "recalled").map(({ holdId }) => holdId))
          )
        },
        entropy,
        policy
      ),
      scope
    )
    const started: EscrowServer = Object.assign(mine, { ledger })
    this.servers.push(started)
    return started
  })

  private get credits() {
    return existing(this.state.credits, this.project.projectId, "project")
  }

  get openHolds() {
    return [...this.credits.openHolds.values()]
  }

  get account() {
    return this.credits.account
  }

  get journal() {
    return this.credits.journal
  }

  /** The timestamps of all stored results. */
  get timestamps(): ReadonlyArray<bigint> {
    return [...this.state.reportsById.values()].map(({ dataResult }) => dataResult.blockTimestamp)
  }

  /** What the journal adds up to. */
  get summedUp() {
    return accountOf(this.credits.journal)
  }

  /** Whether a living server has yet to give back what its lapsed runs had drawn from an escrow in retirement, which is not recalled. */
  holdsLapsed(nowMs: number): boolean {
    const open = this.servers.filter(({ isKilled }) => !isKilled).flatMap((server) => [...server.open])
    const drawnOf = (escrowId: string): bigint =>
      open.filter(([hold, leaseEndMs]) => hold.escrowId === escrowId && nowMs < leaseEndMs).reduce((sum, [{ amount }]) => sum + amount, 0n)
    const known = new Set(this.servers.filter(({ isKilled }) => !isKilled).flatMap((server) => [...server.known]))
    return this.openHolds.some(
      ({ amount, escrow, holdId, leaseEndMs }) =>
        escrow?.state === "drained" && known.has(holdId) && nowMs < leaseEndMs && amount > drawnOf(holdId)
    )
  }

  /** The credits that nobody holds: what the runs of living servers have drawn is held, and all that a killed one has. */
  remainingAt(nowMs: number): bigint {
    const alive = this.servers.filter(({ isKilled }) => !isKilled)
    const holds = alive.flatMap(({ open }) => [...open].filter(([, leaseEndMs]) => nowMs < leaseEndMs).map(([hold]) => hold))
    const known = new Set(alive.flatMap((server) => [...server.known]))
    const drawn = holds.reduce((sum, { amount }) => sum + amount, 0n)
    const orphaned = this.openHolds
      .filter(({ holdId, leaseEndMs }) => nowMs < leaseEndMs && !known.has(holdId))
      .reduce((sum, { amount }) => sum + amount, 0n)
    return this.account.granted - this.account.used - drawn - orphaned
  }

  /** Kills a server: nothing of it happens any more. */
  kill(server: EscrowServer): void {
    const killed: { isKilled: boolean } = server
    killed.isKilled = true
  }

  /**
   * Closes the scopes of all servers. The living ones give back what they hold; a killed one gives back nothing, but would go on to look at its
   * escrows every few milliseconds, beside whatever is tested in this process later.
   */
  readonly close = Effect.suspend(() =>
    Effect.forEach(
      this.servers,
      ({ isKilled, scope }) => {
        const closed = Scope.close(scope, Exit.void)
        return isKilled ? Effect.forkDaemon(closed) : closed
      },
      { discard: true }
    )
  )
}
