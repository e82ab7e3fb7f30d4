/** Servers of one PostgreSQL may disagree about the time: leases go by the database's. */
import { Entropy, Idempotency, Ledger, Network, Provisioning } from "@sibyl/core"
import { makeHandClock, sampleReport } from "@sibyl/testing"
import { Clock, Duration, Effect, Layer, Logger } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createDatabase, describePostgres } from "../fixtures/testDatabases.ts"
import { temporaryDatabase } from "../fixtures/temporaryDatabase.ts"
import { layerTestDatabase } from "../fixtures/testStores.ts"
import { layerSqlStores } from "../layerSqlStores.ts"
import { aheadAfter, DatabaseTime, differenceOfClocks } from "./databaseTime.ts"

describe("by how much the database is ahead", () => {
  const times = { knownMs: fc.integer(), askedMs: fc.nat(), tookMs: fc.nat(60_000), databaseMs: fc.nat() }

  it("is afterwards what may be right, and the same as before if that may be", () => {
    fc.assert(
      fc.property(fc.record(times), ({ askedMs, databaseMs, knownMs, tookMs }) => {
        const answeredMs = askedMs + tookMs
        const mayBe = (aheadMs: number) => aheadMs >= databaseMs - answeredMs - 500 && aheadMs <= databaseMs - askedMs + 500
        const aheadMs = aheadAfter(knownMs, { askedMs, answeredMs, databaseMs })
        expect(mayBe(aheadMs)).toBe(true)
        if (mayBe(knownMs)) expect(aheadMs).toBe(knownMs)
      })
    )
  })
})

const leaseMs = 120_000

/** The stores of another server. */
const layerServer = (place: string) =>
  Layer.fresh(
    layerSqlStores.pipe(
      Layer.provide(Network.layer({ name: "testnet", chainId: "sibyl-1-test" })),
      Layer.provideMerge(layerTestDatabase(place)),
      Layer.provideMerge(Entropy.layer)
    )
  )

const presentMs = Effect.runSync(Clock.currentTimeMillis)

/** A clock that is three minutes ahead, more than the lease of a hold. */
const wrongClock = makeHandClock(presentMs + 180_000)

describePostgres("servers that disagree about the time", (server) => {
  it("void no hold of one another, and take no key of one another", () =>
    Effect.gen(function* () {
      const place = yield* Effect.flatMap(server, (postgres) => createDatabase(postgres))
      const rightServer = Effect.gen(function* () {
        const ledger = yield* Ledger
        const provisioning = yield* Provisioning
        const project = yield* provisioning.createProject({ organizationSlug: "acme" })
        const { projectId } = project
        yield* provisioning.grant(projectId, 100n)
        const hold = yield* ledger.hold(project, 10n, leaseMs)
        const asked = { projectId, key: "k", fingerprint: "f", leaseMs: 15_000 }
        const first = yield* (yield* Idempotency).claim({ ...asked, attemptId: "a1" })
        const wrongServer = Effect.gen(function* () {
          const others = yield* Ledger
          yield* (yield* Provisioning).grant(projectId, 1n)
          const balance = yield* others.balance(project)
          yield* Effect.flatMap(others.hold(project, 1n, leaseMs), others.void)
          return { balance, second: yield* (yield* Idempotency).claim({ ...asked, attemptId: "a2" }) }
        })
        const { balance, second } = yield* Effect.withClock(Effect.provide(wrongServer, layerServer(place)), wrongClock)
        expect([first.kind, second.kind]).toEqual(["claimed", "running"])
        expect(balance).toMatchObject({ granted: 101n, held: 10n })
        const report = sampleReport({ projectId, id: "r1", drId: "d1".repeat(32), executedAtMs: presentMs, total: 3n })
        expect(yield* ledger.settle(hold, report)).toMatchObject({ granted: 101n, held: 0n, used: 3n })
      })
      yield* Effect.provide(rightServer, layerServer(place))
    }).pipe(Effect.runPromise))

  it("say so to whoever asks", () =>
    Effect.gen(function* () {
      const place = yield* Effect.flatMap(server, (postgres) => createDatabase(postgres))
      const asked = Effect.provide(differenceOfClocks, layerTestDatabase(place))
      expect(yield* asked).toBeUndefined()
      const wrong = yield* Effect.withClock(asked, makeHandClock(Date.now() - 600_000))
      expect(wrong?.replace(/\d+ s/, "600 s")).toBe(
        "this machine's clock is 600 s behind the database's: results are signed with its time, and keys and tickets expire by it"
      )
      const file = Effect.provide(differenceOfClocks, layerTestDatabase(yield* temporaryDatabase))
      expect(yield* Effect.withClock(file, wrongClock)).toBeUndefined()
    }).pipe(Effect.scoped, Effect.runPromise))

  it("say so once, and once that they agree again", () => {
    const lines: Array<string> = []
    const logging = Logger.replace(
      Logger.defaultLogger,
      Logger.make(({ logLevel, message }) => void lines.push(`${logLevel.label} ${String(message)}`))
    )
    const hand = makeHandClock(presentMs + 600_000)
    const asleep: Array<() => void> = []
    /** The pause between two questions to the database ends when the test says so. */
    const clock: Clock.Clock = {
      ...hand,
      sleep: (duration) =>
        Duration.toMillis(duration) === 30_000
          ? Effect.async((resume) => void asleep.push(() => resume(Effect.void)))
          : hand.sleep(duration)
    }
    const askAgain = Effect.gen(function* () {
      const isAsleep = Effect.repeat(Effect.sleep(5), { until: () => asleep.length > 0 })
      yield* isAsleep
      asleep.pop()?.()
      yield* isAsleep
    })
    return Effect.gen(function* () {
      const place = yield* Effect.flatMap(server, (postgres) => createDatabase(postgres))
      yield* Layer.build(Layer.provide(DatabaseTime.layer, layerTestDatabase(place)))
      expect(lines).toEqual([])
      yield* askAgain
      yield* askAgain
      const off =
        "WARN this machine's clock is 600 s ahead of the database's: results are signed with its time, and keys and tickets expire by it"
      expect(lines.map((line) => line.replace(/\d+ s/, "600 s"))).toEqual([off])
      hand.advance(Date.now() - clock.unsafeCurrentTimeMillis())
      yield* askAgain
      expect(lines.slice(1)).toEqual(["INFO this machine's clock agrees with the database's again"])
    }).pipe(Effect.withClock(clock), Effect.scoped, Effect.provide(logging), Effect.runPromise)
  })
})
