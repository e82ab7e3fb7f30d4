/** Charging and retrying through whole services over a database: one price list, and one run per key, even after a crash. */
import { Pricing } from "@sibyl/core"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { askKeyed, type KeyedAnswer, openKeyedService, provisionKeyed } from "./fixtures/keyedService.ts"
import { spawnBusyService } from "./fixtures/spawnBusyService.ts"
import { describeDatabases } from "./fixtures/testDatabases.ts"

const five = { base: 5n, gas: 0n, dataProxies: 0n, total: 5n }
const flatPrice = Layer.succeed(Pricing, { worst: () => five, gasPerWorkerMs: 0n, price: () => five })

const json = ({ body }: KeyedAnswer): unknown => JSON.parse(body)
const replayed = ({ headers }: KeyedAnswer): boolean => headers["idempotency-replayed"] === "true"

describeDatabases("a service", (database) => {
  /** Runs a test on a new, empty database. */
  const at = (test: (place: string) => Promise<void>) => () =>
    Effect.runPromise(Effect.scoped(Effect.flatMap(database.createMigrated, (place) => Effect.promise(() => test(place)))))

  it(
    "uses an embedder's flat price for quote, hold and post: of 200 runs with credits for one, one runs",
    at(async (place) => {
      const owner = await provisionKeyed(place, 5n)
      const service = await openKeyedService(place, { pricing: flatPrice })
      const path = `/execute?execProgramId=${owner[1]}&dryRun`
      const quote = { worstCase: "5", typical: null, remaining: "5", affordable: true }
      expect(json(await askKeyed(service, owner, { path }))).toMatchObject({ data: { quote } })
      const answers = await Promise.all(Array.from({ length: 200 }, () => askKeyed(service, owner)))
      expect(answers.filter(({ status }) => status === 200).length).toBe(1)
      const refused = answers.filter(({ status }) => status === 403)
      expect(refused.length).toBe(199)
      const refusal = { _tag: "InsufficientCredits", details: { required: "5" } }
      for (const answer of refused) expect(json(answer)).toMatchObject(refusal)
      const credits = { remaining: "0", used: "5", held: "0" }
      expect(json(await askKeyed(service, owner, { path: "/project" }))).toMatchObject({ credits })
      const after = { worstCase: "5", typical: "5", remaining: "0", affordable: false }
      expect(json(await askKeyed(service, owner, { path }))).toMatchObject({ data: { quote: after } })
      await service.dispose()
    }),
    60_000
  )

  it(
    "runs one of 100 concurrent requests with the same key through two services",
    at(async (place) => {
      const owner = await provisionKeyed(place, 1_000_000n)
      const services = await Promise.all([openKeyedService(place), openKeyedService(place)])
      const asked = Array.from({ length: 50 }, () => services.map((service) => askKeyed(service, owner, { idempotencyKey: "once" }))).flat()
      const answers = await Promise.all(asked)
      expect(new Set(answers.map(({ body, status }) => `${status} ${body}`)).size).toBe(1)
      expect(answers.filter(replayed).length).toBe(99)
      const credits = { remaining: "999979", used: "21", held: "0" }
      for (const service of services) {
        expect(json(await askKeyed(service, owner, { path: "/project" }))).toMatchObject({ credits })
        await service.dispose()
      }
    }),
    60_000
  )

  it(
    "returns the run of a process that was killed between charge and answer, without a new charge",
    at(async (place) => {
      const dying = await spawnBusyService(place, "keyed")
      await dying.untilLines(2)
      await dying.kill()
      expect(dying.lines[1]).toBe("charged")
      const [key = "", programId = ""] = (dying.lines[0] ?? "").split(" ")
      const service = await openKeyedService(place)
      const owner = [key, programId] as const
      const retry = await askKeyed(service, owner, { idempotencyKey: "killed" })
      const again = await askKeyed(service, owner, { idempotencyKey: "killed" })
      expect([retry.status, replayed(retry), replayed(again), again.body === retry.body]).toEqual([200, true, true, true])
      expect(json(retry)).toMatchObject({ data: { summary: { creditsUsed: "21", creditsRemaining: "999979" } } })
      const credits = { remaining: "999979", used: "21", held: "0" }
      expect(json(await askKeyed(service, owner, { path: "/project" }))).toMatchObject({ credits })
      await service.dispose()
    }),
    60_000
  )
})
