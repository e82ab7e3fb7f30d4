/** An unreachable store: 503 with Retry-After, over REST and WebSocket; finished runs are charged when it is back. */
import { Context, Effect, Layer, TestClock } from "effect"
import { it as effectIt } from "@effect/vitest"
import { afterEach, describe, expect, it } from "vitest"
import { Directory } from "../ports/directory.ts"
import { Ledger, StaleTimestamp } from "../ports/ledger.ts"
import { StoreDefect } from "../ports/storeDefect.ts"
import { StoreUnavailable } from "../ports/storeUnavailable.ts"
import { onceReachable } from "../services/credits/onceReachable.ts"
import { rpcClient } from "../testdata/rpcClient.ts"
import { type OpenTestService, openTestService, seamRequest } from "../testdata/testService.ts"
import type { Service } from "./transport/seam.ts"

let testService: OpenTestService
let service: Service

afterEach(async () => {
  await service.dispose()
  await testService.service.dispose()
})

const away = Effect.die(new StoreUnavailable("taking a hold: /var/lib/secret is locked"))

const text = "the database cannot be reached now; try again"

const open = async (change: (ledger: Ledger["Type"]) => Partial<Ledger["Type"]>) => {
  testService = await openTestService()
  service = await testService.openAnother((stores) => {
    const ledger = Context.get(stores, Ledger)
    return Layer.succeedContext(Context.add(stores, Ledger, { ...ledger, ...change(ledger) }))
  })
}

const headers = () => ({ authorization: `Bearer ${testService.key}` })
const execute = () => service.fetch(seamRequest("GET", `/execute?execProgramId=${testService.execProgramId}`, { headers: headers() }))

describe("an unreachable store", () => {
  it("is 503 with Retry-After, and a text without internal details", async () => {
    await open(() => ({ hold: () => away }))
    const response = await execute()
    expect(response).toMatchObject({ status: 503, headers: { "retry-after": "1" } })
    expect(JSON.parse(String(response?.body))).toMatchObject({ _tag: "Unavailable", error: text, message: text })
  })

  it("is 503 too if the key cannot be looked up", async () => {
    testService = await openTestService()
    service = await testService.openAnother((stores) =>
      Layer.succeedContext(Context.add(stores, Directory, { ...Context.get(stores, Directory), authenticate: () => away }))
    )
    expect((await execute())?.status).toBe(503)
  })

  it("is code 36054 over WebSocket, and the connection goes on", async () => {
    let isAway = true
    await open((ledger) => ({ hold: (...args) => (isAway ? away : ledger.hold(...args)) }))
    const client = await rpcClient(service, testService.key)
    const asked = { execProgramId: testService.execProgramId }
    const error = { _tag: "Unavailable", code: 36054, error: text, message: text }
    expect(await client.ask("feed.execute", asked)).toMatchObject({ error })
    isAway = false
    expect((await client.ask("feed.execute", asked)).result).toBeDefined()
  })

  it("that comes back before a run is posted charges it once, and the client gets its answer", async () => {
    let refusals = 0
    await open((ledger) => ({
      settleChosen: (...args) => Effect.suspend(() => ((refusals += 1) <= 3 ? away : ledger.settleChosen(...args)))
    }))
    expect((await execute())?.status).toBe(200)
    expect(refusals).toBe(4)
    expect(testService.ledgerCalls).toEqual(["hold", "settle"])
  })

  it("that comes back before a run is signed and posted again only delays it", async () => {
    let [refusals, timestampMs] = [0, 0]
    await open((ledger) => ({
      settleChosen: (...[, , chosen]) =>
        Effect.suspend(() => {
          timestampMs = chosen.timestampMs + 5
          return Effect.fail(new StaleTimestamp({ timestampMs }))
        }),
      settle: (...args) => Effect.suspend(() => ((refusals += 1) <= 2 ? away : ledger.settle(...args)))
    }))
    const response = await execute()
    expect(response?.status).toBe(200)
    expect(JSON.parse(String(response?.body))).toMatchObject({ data: { dataResult: { blockTimestamp: `${timestampMs}` } } })
    expect(refusals).toBe(3)
    expect(testService.ledgerCalls).toEqual(["hold", "settle"])
  })

  it("is an internal error and 500 if it is reachable but fails", async () => {
    await open(() => ({ settleChosen: () => Effect.die(new StoreDefect("a hold that was voided")) }))
    expect((await execute())?.status).toBe(500)
    expect(testService.ledgerCalls).toEqual(["hold", "void"])
  })
})

describe("waiting for a store", () => {
  effectIt.effect("ends after 30 s, with the fault that it last had", () =>
    Effect.gen(function* () {
      let tries = 0
      const fiber = yield* Effect.fork(
        Effect.exit(
          onceReachable(
            Effect.suspend(() => {
              tries += 1
              return away
            })
          )
        )
      )
      yield* TestClock.adjust("29 seconds")
      expect(fiber.unsafePoll()).toBeNull()
      yield* TestClock.adjust("5 seconds")
      expect(yield* fiber.await).toMatchObject({ _tag: "Success", value: { _tag: "Failure" } })
      expect(tries).toBeGreaterThan(20)
    })
  )
})
