/** Ports that are written without types: what they fail with is told to nobody but the log, and what they answer is not believed. */
import { Context, Effect, Layer, Logger } from "effect"
import { afterEach, describe, expect, it, vi } from "vitest"
import { Directory } from "../ports/directory.ts"
import { Ledger, StaleTimestamp } from "../ports/ledger.ts"
import { ProgramRuntime } from "../ports/programRuntime.ts"
import { ProgramStore } from "../ports/programStore.ts"
import { eventually, rpcClient } from "../testdata/rpcClient.ts"
import { type OpenTestService, openTestService, seamRequest, type TestServicePorts } from "../testdata/testService.ts"
import type { Service } from "./transport/seam.ts"

let testService: OpenTestService
let service: Service
let logged: Array<string>

afterEach(async () => {
  await service.dispose()
  await testService.service.dispose()
})

const open = async (change: (stores: TestServicePorts) => TestServicePorts): Promise<void> => {
  testService = await openTestService()
  logged = []
  const log = Logger.make(({ cause, message }) => void logged.push(`${String(message)} ${String(cause)}`))
  service = await testService.openAnother((stores) => Layer.merge(Layer.succeedContext(change(stores)), Logger.add(log)))
}

const execute = () =>
  service.fetch(
    seamRequest("GET", `/execute?execProgramId=${testService.execProgramId}`, { headers: { authorization: `Bearer ${testService.key}` } })
  )

const creditsOf = async (): Promise<unknown> => {
  const headers = { authorization: `Bearer ${testService.key}` }
  const response = await testService.service.fetch(seamRequest("GET", "/verify", { headers }))
  return JSON.parse(String(response?.body))
}

const ports = {
  "Directory.authenticate": (failing: () => Effect.Effect<never>) => (stores: TestServicePorts) =>
    Context.add(stores, Directory, { ...Context.get(stores, Directory), authenticate: failing }),
  "ProgramStore.get": (failing: () => Effect.Effect<never>) => (stores: TestServicePorts) =>
    Context.add(stores, ProgramStore, { ...Context.get(stores, ProgramStore), get: failing }),
  "Ledger.hold": (failing: () => Effect.Effect<never>) => (stores: TestServicePorts) =>
    Context.add(stores, Ledger, { ...Context.get(stores, Ledger), hold: failing }),
  "ProgramRuntime.run": (failing: () => Effect.Effect<never>) => (stores: TestServicePorts) =>
    Context.add(stores, ProgramRuntime, { ...Context.get(stores, ProgramRuntime), run: failing }),
  "Ledger.settleChosen": (failing: () => Effect.Effect<never>) => (stores: TestServicePorts) =>
    Context.add(stores, Ledger, { ...Context.get(stores, Ledger), settleChosen: failing })
}

const strange: ReadonlyArray<readonly [what: string, failure: unknown]> = [
  ["an Error", new Error("secret")],
  ["a text", "secret"],
  ["nothing", undefined],
  ["null", null],
  ["an object with a tag", { _tag: "Unauthorized", message: "secret" }],
  ["an object with a status", { _tag: "Unauthorized", message: "secret", status: 200, rpcCode: 0 }]
]

describe.each(Object.entries(ports))("%s that fails with", (_port, failingWith) => {
  it.each(strange)("%s is an internal error, whose cause is in the log alone", async (_what, failure) => {
    await open(failingWith(() => Effect.fail(failure as never)))
    const response = await execute()
    expect(response?.status).toBe(500)
    expect(JSON.parse(String(response?.body))).toMatchObject({
      _tag: "InternalError",
      error: "an unexpected error; the request was not charged"
    })
    expect(logged).toEqual([expect.stringMatching(/^a request failed by a fault of ours ./)])
    expect(await creditsOf()).toMatchObject({ usedCreditsSnapshot: "0", remainingCreditsSnapshot: "1000000" })
  })
})

describe.each(Object.entries(ports))("%s that ends with an interruption", (_port, failingWith) => {
  it("is an internal error of a service that is not closing, and a line of the log", async () => {
    await open(failingWith(() => Effect.interrupt))
    expect(await execute()).toMatchObject({ status: 500, failure: { _tag: "InternalError" } })
    expect(logged).toEqual([expect.stringContaining("PortInterrupted: a port ended with an interruption, and the service is not closing")])
    const client = await rpcClient(service, testService.key).catch(() => undefined)
    const told = await client?.ask("feed.execute", { execProgramId: testService.execProgramId })
    // Who cannot authenticate has no connection.
    if (told !== undefined) expect(told.error).toMatchObject({ _tag: "InternalError", code: 36000 })
    expect(logged).toHaveLength(2)
  })
})

describe("when a service is closed, a request that waits for ever for", () => {
  afterEach(() => void vi.useRealTimers())

  it.each(["Directory.authenticate", "ProgramStore.get", "Ledger.hold"] as const)("%s is told", async (port) => {
    let isAsked = false
    await open(
      ports[port](() =>
        Effect.zipRight(
          Effect.sync(() => (isAsked = true)),
          Effect.never
        )
      )
    )
    const answer = execute()
    await eventually(() => isAsked || undefined, "the port is asked")
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const closing = { isClosed: false }
    void service.dispose().then(() => (closing.isClosed = true))
    while (!closing.isClosed) await vi.advanceTimersByTimeAsync(10_000)
    expect(await answer).toMatchObject({ status: 503, failure: { _tag: "Overloaded", message: "the service is closed" } })
  })
})

it("a runtime that fails so is code 36000 over WebSocket, and in feeds, which go on", async () => {
  await open(ports["ProgramRuntime.run"](() => Effect.fail(new Error("secret") as never)))
  const client = await rpcClient(service, testService.key)
  const asked = { execProgramId: testService.execProgramId }
  const { error } = await client.ask("feed.execute", asked)
  expect(error).toMatchObject({ _tag: "InternalError", code: 36000, message: "an unexpected error; the request was not charged" })
  expect((await client.ask("feed.start", { execute: asked, periodicityMs: 100, mode: "FIXED" })).result).toBeDefined()
  const results = await eventually(() => {
    const told = client.said().filter(({ method }) => method === "feed.result")
    return told.length < 2 ? undefined : told
  }, "two results of the feed")
  for (const { params } of results) expect(params?.error).toMatchObject({ _tag: "InternalError", code: 36000 })
  expect(client.socket.texts.join()).not.toContain("secret")
})

it.each([true, false])("a defect in a run of a feed that is shared: %s is in the log, with its cause", async (share) => {
  await open(ports["ProgramRuntime.run"](() => Effect.die(new Error("the machine broke"))))
  const client = await rpcClient(service, testService.key)
  const execute = { execProgramId: testService.execProgramId }
  await client.ask("feed.start", { execute, periodicityMs: 500, mode: "FIXED", share })
  const { params } = await eventually(() => client.said().find(({ method }) => method === "feed.result"), "a result of the feed")
  expect(params?.error).toMatchObject({ _tag: "InternalError", code: 36000 })
  expect(logged[0]).toMatch(/^a run of a feed failed by a fault of ours Error: the machine broke/)
})

describe("a runtime that ends with an interruption is told, and logged, as a fault", () => {
  const failure = { _tag: "InternalError", message: "an unexpected error; the run was not charged" }

  it.each([true, false])("in a feed that is shared: %s", async (share) => {
    await open(ports["ProgramRuntime.run"](() => Effect.interrupt))
    const client = await rpcClient(service, testService.key)
    const execute = { execProgramId: testService.execProgramId }
    await client.ask("feed.start", { execute, periodicityMs: 500, mode: "FIXED", share })
    const { params } = await eventually(() => client.said().find(({ method }) => method === "feed.result"), "a result of the feed")
    expect(params?.error).toMatchObject({ ...failure, code: 36000 })
    expect(logged[0]).toMatch(/^a run of a feed failed by a fault of ours PortInterrupted: /)
  })

  it("in a durable feed", async () => {
    await open(ports["ProgramRuntime.run"](() => Effect.interrupt))
    const body = { execute: { execProgramId: testService.execProgramId }, periodicityMs: 500, mode: "FIXED" }
    const headers = { authorization: `Bearer ${testService.key}`, "content-type": "application/json" }
    const created = await service.fetch(seamRequest("POST", "/feeds", { headers, body: JSON.stringify(body) }))
    expect(created?.status).toBe(201)
    const { feedId } = JSON.parse(String(created?.body)) as { readonly feedId: string }
    const client = await rpcClient(service, testService.key)
    await client.ask("feed.follow", { feedId })
    const { params } = await eventually(() => client.said().find(({ method }) => method === "feed.result"), "a result of the feed")
    expect(params?.error).toMatchObject({ ...failure, code: 36000 })
    expect(logged[0]).toMatch(/^a run of a feed failed by a fault of ours PortInterrupted: /)
  })
})

describe("a ledger that answers", () => {
  const answers: ReadonlyArray<readonly [string, unknown]> = [
    ["nothing", undefined],
    ["null", null],
    ["true", true],
    ["numbers", { granted: 1, used: 1, held: 0, periodUsed: 0 }]
  ]
  const nothingOf = (change: (ledger: Ledger["Type"]) => Partial<Ledger["Type"]>) => (stores: TestServicePorts) => {
    const ledger = Context.get(stores, Ledger)
    return Context.add(stores, Ledger, { ...ledger, ...change(ledger) })
  }
  const refused = async (text: string, calls: ReadonlyArray<string>): Promise<void> => {
    expect((await execute())?.status).toBe(500)
    expect(logged).toEqual([expect.stringContaining(text)])
    expect(testService.ledgerCalls).toEqual(calls)
  }

  it.each(answers)("%s to a settlement has not charged the run: its hold is voided", async (_what, answer) => {
    await open(nothingOf(() => ({ settleChosen: () => Effect.succeed(answer as never) })))
    await refused("StoreDefect: the ledger settled a run and answered no balance", ["hold", "void"])
  })

  it.each(answers)("%s to the second settlement has not charged it either", async (_what, answer) => {
    await open(
      nothingOf(() => ({
        settleChosen: (_hold, _report, { timestampMs }) => Effect.fail(new StaleTimestamp({ timestampMs: timestampMs + 1 })),
        settle: () => Effect.succeed(answer as never)
      }))
    )
    await refused("StoreDefect: the ledger settled a run and answered no balance", ["hold", "void"])
  })

  it.each(answers)("%s in place of a hold runs nothing", async (_what, answer) => {
    await open(nothingOf(() => ({ hold: () => Effect.succeed(answer as never) })))
    await refused("StoreDefect: the ledger held credits and answered no hold", [])
    expect(testService.requests).toEqual([])
  })
})
