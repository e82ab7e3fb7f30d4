/** Servers with escrows over one database: nothing is overdrawn, refused without need, lost or charged twice, whatever happens to them. */
import { makeHandClock } from "@sibyl/testing"
import { soakCount } from "@sibyl/testing/soak"
import { Cause, Clock, Effect, Exit, Option } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Hold } from "../../domain/credits/balance.ts"
import type { DatedRun, DateRun } from "../../domain/credits/ledgerOperation.ts"
import { type EscrowServer, EscrowWorld } from "../../testdata/escrowServers.ts"
import { runOf } from "../../testdata/ledgerHistories.ts"
import { defaultGasLimits } from "../../domain/settings/gasLimits.ts"
import type { ExecutionReport } from "../../domain/reports/executionReport.ts"
import { storeUnavailableIn } from "../storeUnavailable.ts"

const startMs = 1_000_000
const leaseMs = 1_000
const granted = 400n

const projectOf = (limit: bigint | null) => ({
  projectId: "p",
  organizationId: "o",
  organizationSlug: "o",
  gasLimits: defaultGasLimits,
  usageLimit: limit === null ? null : { periodMs: 1_500, credits: limit },
  allowedPrograms: null,
  allowedHosts: null,
  limits: {}
})

const which = fc.nat({ max: 30 })
const server = fc.nat({ max: 1 })
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("hold" as const),
      server,
      amounts: fc.array(fc.bigInt(0n, 60n), { minLength: 1, maxLength: 6 })
    })
  },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant("settle" as const), server, which, price: fc.bigInt(0n, 30n), isDated: fc.boolean() })
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("void" as const), server, which }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("renew" as const), server, which }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 900 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("lose" as const), server, count: fc.integer({ min: 1, max: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("kill" as const), server }) }
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

const counts = { drawn: 0, refused: 0, settled: 0, stale: 0, dated: 0, killed: 0 }

const isAway = (exit: Exit.Exit<unknown, unknown>): boolean => Exit.isFailure(exit) && storeUnavailableIn(exit.cause) !== undefined

/** Repeats what was not acknowledged, as a finished run does. */
const untilAnswered = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<Exit.Exit<A, E>> =>
  Effect.repeat(Effect.exit(effect), { while: isAway })

const drId = "d1".repeat(32)

const datedAt = (report: ExecutionReport, timestampMs: number): ExecutionReport => ({
  ...report,
  dataResult: { ...report.dataResult, drId, blockTimestamp: BigInt(timestampMs) }
})

class History {
  readonly clock = makeHandClock(startMs)
  readonly world: EscrowWorld
  charged = 0n
  runs = 0

  constructor(limit: bigint | null) {
    this.world = new EscrowWorld(projectOf(limit), granted)
  }

  private nth(server: EscrowServer, which: number): Hold | undefined {
    const holds = [...server.open.keys()]
    return holds[which % Math.max(1, holds.length)]
  }

  readonly take = (server: EscrowServer, step: Step) =>
    Effect.gen(this, function* () {
      const nowMs = yield* Clock.currentTimeMillis
      const { world } = this
      switch (step.kind) {
        case "wait":
          this.clock.advance(step.ms)
          // Servers look after lapsed holds, however busy the machine is.
          return yield* Effect.repeat(Effect.sleep(15), { until: () => !world.holdsLapsed(nowMs + step.ms), times: 1_000 })
        case "lose":
          return void Object.assign(server, { losing: step.count })
        case "kill":
          counts.killed += 1
          return world.kill(server)
        case "hold": {
          const refused = yield* Effect.forEach(step.amounts, (amount) => this.hold(server, amount), { concurrency: "unbounded" })
          // Nothing returns meanwhile, so what is missing at the end was missing when it was refused.
          for (const amount of refused) {
            if (amount !== undefined && world.project.usageLimit === null) expect(world.remainingAt(nowMs) < amount).toBe(true)
          }
          return
        }
        case "void": {
          const hold = this.nth(server, step.which)
          if (hold === undefined) return
          server.open.delete(hold)
          return void (yield* untilAnswered(server.ledger.void(hold)))
        }
        case "renew": {
          const hold = this.nth(server, step.which)
          if (hold === undefined) return
          const isOpen = yield* untilAnswered(server.ledger.renew(hold, leaseMs))
          const leaseEndMs = server.open.get(hold) ?? 0
          if (Exit.isSuccess(isOpen) && isOpen.value) server.open.set(hold, Math.max(leaseEndMs, nowMs + leaseMs))
          expect(Exit.isSuccess(isOpen) && isOpen.value).toBe(nowMs < leaseEndMs)
          return
        }
        case "settle": {
          const hold = this.nth(server, step.which)
          if (hold !== undefined) yield* this.settle(server, hold, step)
        }
      }
    })

  private readonly hold = (server: EscrowServer, amount: bigint) =>
    Effect.gen(this, function* () {
      const { world } = this
      const exit = yield* Effect.exit(server.ledger.hold(world.project, amount, leaseMs))
      const nowMs = yield* Clock.currentTimeMillis
      if (Exit.isSuccess(exit)) {
        if (exit.value.escrowId !== undefined) counts.drawn += 1
        server.open.set(exit.value, nowMs + leaseMs)
        expect(world.remainingAt(nowMs) >= 0n).toBe(true)
      } else if (!isAway(exit)) {
        counts.refused += 1
        expect(Cause.isFailure(exit.cause)).toBe(true)
        return amount
      }
      return undefined
    })

  private readonly settle = (server: EscrowServer, hold: Hold, { isDated, price }: Step & { readonly kind: "settle" }) =>
    Effect.gen(this, function* () {
      const nowMs = yield* Clock.currentTimeMillis
      this.runs += 1
      const report = runOf("p", this.runs, price)
      const isInTime = nowMs < (server.open.get(hold) ?? 0)
      const timestampMs = server.times.next(drId, nowMs)
      let lastMs = timestampMs
      const dated = (ms: number): DatedRun => {
        if (ms !== timestampMs) counts.dated += 1
        lastMs = ms
        server.times.passed(drId, ms)
        return { report: datedAt(report, ms) }
      }
      const charge = this.charge(server, hold, datedAt(report, timestampMs), timestampMs, isDated ? dated : undefined)
      const exits = yield* Effect.replicateEffect(charge, 2, { concurrency: "unbounded" })
      server.open.delete(hold)
      for (const exit of exits) expect(Exit.isSuccess(exit), Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "").toBe(isInTime)
      if (!isInTime) return
      counts.settled += 1
      if (isDated) expect(this.world.timestamps).toContain(BigInt(lastMs))
      this.charged += price < hold.amount ? price : hold.amount
      expect(Exit.isSuccess(yield* untilAnswered(server.ledger.settle(hold, runOf("p", 99_999, 1n))))).toBe(true)
    })

  /** Charges a run, with the timestamp that the server has chosen or with the one that it is given instead. */
  private readonly charge = (server: EscrowServer, hold: Hold, report: ExecutionReport, timestampMs: number, dated: DateRun | undefined) =>
    Effect.gen(function* () {
      const chosen = { drId, timestampMs, owner: server.owner }
      const exit = yield* untilAnswered(server.ledger.settleChosen(hold, report, chosen, { dated }))
      const stale = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.failureOption(exit.cause)) : undefined
      if (stale === undefined) return exit
      counts.stale += 1
      server.times.passed(drId, stale.timestampMs)
      return yield* untilAnswered(server.ledger.settle(hold, datedAt(report, stale.timestampMs)))
    })

  /** The books after each step. */
  readonly audit = Effect.gen(this, function* () {
    const { account, journal, summedUp } = this.world
    expect(account).toEqual(summedUp)
    expect(account.used + account.held <= account.granted).toBe(true)
    expect(account.used).toBe(this.charged)
    expect(new Set(this.world.timestamps).size).toBe(this.world.timestamps.length)
    expect(journal.map(({ entry }) => entry)).toEqual(journal.map((_, at) => at + 1))
    const nowMs = yield* Clock.currentTimeMillis
    for (const server of this.world.servers) {
      if (server.isKilled) continue
      const balance = yield* server.ledger.balance(this.world.project)
      expect(balance.used).toBe(this.charged)
      expect(balance.granted - balance.used - balance.held >= 0n).toBe(true)
      const own = [...server.open].filter(([, leaseEndMs]) => nowMs < leaseEndMs).reduce((sum, [{ amount }]) => sum + amount, 0n)
      expect(balance.held >= own).toBe(true)
    }
  })
}

const live = (limit: bigint | null, steps: ReadonlyArray<Step>) => {
  const history = new History(limit)
  const { clock, world } = history
  const run = Effect.gen(function* () {
    const servers = [yield* world.start, yield* world.start]
    for (const step of steps) {
      const at = "server" in step ? step.server : 0
      const server = servers[at]
      if (server === undefined) continue
      yield* history.take(server, step)
      // A server that was killed is started again.
      if (server.isKilled) servers[at] = yield* world.start
      if (servers.every(({ losing }) => losing === 0)) yield* history.audit
    }
    for (const server of servers) {
      Object.assign(server, { losing: 0 })
      for (const hold of server.open.keys()) yield* server.ledger.void(hold)
      server.open.clear()
    }
    const nowMs = yield* Clock.currentTimeMillis
    yield* world.close
    // What is still held is of killed servers, or was never acknowledged.
    const open = world.openHolds.filter(({ leaseEndMs }) => nowMs < leaseEndMs).reduce((sum, { amount }) => sum + amount, 0n)
    expect(granted - world.account.used - open).toBe(world.remainingAt(nowMs))
    clock.advance(2 * leaseMs)
    const last = yield* world.start
    const balance = yield* last.ledger.balance(world.project)
    expect(balance).toMatchObject({ granted, used: history.charged, held: 0n })
    yield* world.close
  })
  return Effect.runPromise(Effect.withClock(run, clock))
}

const steps = fc.array(step, { minLength: 5, maxLength: 40, size: "max" })

/** Credits are added without an acknowledgement, and the escrow's lease ends earlier as far as its server knows than in the database. */
const addedUnknown: ReadonlyArray<Step> = [
  { kind: "hold", server: 1, amounts: [35n] },
  { kind: "lose", server: 1, count: 2 },
  { kind: "wait", ms: 449 },
  { kind: "hold", server: 1, amounts: [60n] },
  { kind: "wait", ms: 881 },
  { kind: "wait", ms: 396 }
]

describe("two servers with escrows", () => {
  it("neither overdraw nor refuse what can be paid, and charge each run once, though killed and without acknowledgements", async () => {
    await fc.assert(
      fc.asyncProperty(steps, (history) => live(null, history)),
      { numRuns: soakCount({ everyday: 60, full: 1_000 }), examples: [[[...addedUnknown]]] }
    )
    expect(counts.drawn).toBeGreaterThan(100)
    expect(counts.refused).toBeGreaterThan(20)
    expect(counts.settled).toBeGreaterThan(100)
    expect(counts.stale).toBeGreaterThan(10)
    expect(counts.dated).toBeGreaterThan(10)
    expect(counts.killed).toBeGreaterThan(10)
  }, 3_600_000)

  it(
    "keep a usage limit that both use",
    () =>
      fc.assert(
        fc.asyncProperty(steps, (history) => live(120n, history)),
        { numRuns: soakCount({ everyday: 20, full: 400 }) }
      ),
    3_600_000
  )

  it("give back an escrow whose opening was not acknowledged, before its lease ends", async () => {
    const { clock, world } = new History(null)
    const run = Effect.gen(function* () {
      const server = yield* world.start
      Object.assign(server, { losing: 1 })
      const hold = yield* server.ledger.hold(world.project, 10n, leaseMs)
      expect(hold.escrowId).toBeUndefined()
      yield* Effect.repeat(Effect.sleep(15), { until: () => world.openHolds.length === 1, times: 1_000 })
      expect(world.openHolds).toMatchObject([{ holdId: hold.holdId, amount: 10n, escrow: null }])
      yield* world.close
    })
    await Effect.runPromise(Effect.withClock(run, clock))
  })
})
