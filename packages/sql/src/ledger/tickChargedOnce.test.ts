/** Two servers that run the same tick of a feed, as owners in a partition do, charge it once: with holds of their own and drawn ones. */
import { feedRunId, Ledger, Provisioning, ResultStore, StoreDefect } from "@sibyl/core"
import { sampleReport, sharedPostgres } from "@sibyl/testing"
import { Cause, Effect, Exit, Layer, Option } from "effect"
import { expect, it } from "vitest"
import { createDatabase, describePostgres } from "../fixtures/testDatabases.ts"
import { layerTestStoresAt } from "../fixtures/testStores.ts"

const ticks = 60
const price = 3n
const held = 10n
const epoch = 1_748_781_296_789

/** The stores of one server, with the values that a test uses. */
const server = (place: string) =>
  Effect.map(Layer.build(layerTestStoresAt(place)), (context) => Effect.provide(Effect.all([Ledger, Provisioning, ResultStore]), context))

describePostgres("a tick that two servers run", () => {
  it("is charged once, and nothing stays held", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const place = yield* Effect.flatMap(sharedPostgres, (postgres) => createDatabase(postgres))
        const [, provisioning] = yield* yield* server(place)
        const project = yield* provisioning.createProject({ organizationSlug: "feeds" })
        yield* provisioning.grant(project.projectId, 1_000_000n)
        const endings = yield* Effect.scoped(
          Effect.gen(function* () {
            const servers = [yield* yield* server(place), yield* yield* server(place)] as const
            const outcomes: Array<{ readonly charged: number; readonly refused: number; readonly drawn: number }> = []
            for (let tick = 0; tick < ticks; tick += 1) {
              const id = feedRunId("feed", epoch, tick)
              const holds = yield* Effect.forEach(servers, ([ledger]) => ledger.hold(project, held, 60_000))
              const exits = yield* Effect.forEach(
                servers,
                ([ledger], at) => {
                  const hold = holds[at]
                  if (hold === undefined) return Effect.dieMessage("no hold")
                  const report = sampleReport({ projectId: project.projectId, id, executedAtMs: epoch + tick, total: price })
                  // As a run does: what cannot be settled is voided.
                  return Effect.exit(Effect.onError(ledger.settle(hold, report), () => ledger.void(hold)))
                },
                { concurrency: "unbounded" }
              )
              const refusals = exits.filter(Exit.isFailure).flatMap(({ cause }) => [...Cause.defects(cause)])
              expect(refusals.every((defect) => defect instanceof StoreDefect)).toBe(true)
              outcomes.push({
                charged: exits.filter(Exit.isSuccess).length,
                refused: refusals.length,
                drawn: holds.filter(({ escrowId }) => escrowId !== undefined).length
              })
            }
            return outcomes
          })
        )
        expect(endings.every(({ charged, refused }) => charged === 1 && refused === 1)).toBe(true)
        // Both ways were taken: the first holds are exact, later ones are drawn from the escrows of both servers.
        expect(endings[0]?.drawn).toBe(0)
        expect(endings.at(-1)?.drawn).toBe(2)
        const [ledger, , results] = yield* yield* server(place)
        expect(yield* ledger.balance(project)).toMatchObject({ used: BigInt(ticks) * price, held: 0n })
        const stored = yield* Effect.forEach(Array.from({ length: ticks }), (_, tick) =>
          results.find(project.projectId, feedRunId("feed", epoch, tick))
        )
        expect(stored.every(Option.isSome)).toBe(true)
      }).pipe(Effect.scoped, Effect.orDie)
    ))
})
