/** Shutdown with open WebSockets: runs in flight are answered before the close frame, no new run begins. */
import { Deferred, Effect } from "effect"
import { expect, test } from "vitest"
import { grantedUpgrade, handSocket } from "../../testdata/handSocket.ts"
import { outcome } from "../../testdata/scriptedRuntime.ts"
import { openTestService } from "../../testdata/testService.ts"

/** A client of a service whose runs wait until they are let go. */
const openClient = async () => {
  const gate = await Effect.runPromise(Deferred.make<void>())
  const testService = await openTestService({ script: () => Effect.as(Deferred.await(gate), outcome()) })
  const client = handSocket(await grantedUpgrade(testService.service, testService.key))
  const ask = (id: string, method: string, params: object): void =>
    client.peer.message(JSON.stringify({ jsonrpc: "2.0", id, method, params }))
  return { ask, client, go: () => Effect.runPromise(Deferred.succeed(gate, undefined)), testService }
}

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1))
}

interface Message {
  readonly id?: string
  readonly method?: string
  readonly result?: object
  readonly error?: { readonly code: number }
}

const messagesOf = (texts: ReadonlyArray<string>): ReadonlyArray<Message> => texts.map((text) => JSON.parse(text) as Message)

const goodbye = [[1001, "the service is closing"]]

test("a run in flight is answered before the close frame; requests meanwhile are refused", async () => {
  const { ask, client, go, testService } = await openClient()
  ask("run", "feed.execute", { execProgramId: testService.execProgramId })
  await until(() => testService.requests.length === 1)
  const disposed = testService.service.dispose()
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(client.closeFrames).toEqual([])
  ask("late", "feed.execute", { execProgramId: testService.execProgramId })
  await until(() => client.texts.length === 2)
  await go()
  await disposed
  const [authorized, late, run, ...more] = messagesOf(client.texts)
  expect([authorized?.method, late?.id, late?.error?.code, run?.id]).toEqual(["authorized", "late", 36053, "run"])
  expect(run?.result).toBeDefined()
  expect(more).toEqual([])
  expect(client.closeFrames).toEqual(goodbye)
  expect(testService.ledgerCalls).toEqual(["hold", "settle"])
})

test("a feed's run in flight is delivered before the close frame, and is its last", async () => {
  const { ask, client, go, testService } = await openClient()
  const execute = { execProgramId: testService.execProgramId }
  ask("start", "feed.start", { execute, periodicityMs: 10, mode: "FIXED" })
  await until(() => testService.requests.length === 1)
  const disposed = testService.service.dispose()
  await new Promise((resolve) => setTimeout(resolve, 50))
  await go()
  await disposed
  expect(messagesOf(client.texts).map(({ id, method }) => method ?? id)).toEqual(["authorized", "start", "feed.result"])
  expect(client.closeFrames).toEqual(goodbye)
  expect(testService.ledgerCalls).toEqual(["hold", "settle"])
})

test("a client with nothing in flight is closed at once, while others' runs go on", async () => {
  const { ask, client, go, testService } = await openClient()
  const idle = handSocket(await grantedUpgrade(testService.service, testService.key))
  ask("run", "feed.execute", { execProgramId: testService.execProgramId })
  await until(() => testService.requests.length === 1)
  const disposed = testService.service.dispose()
  await until(() => idle.closeFrames.length > 0)
  expect(idle.closeFrames).toEqual(goodbye)
  expect(client.closeFrames).toEqual([])
  await go()
  await disposed
  expect(client.closeFrames).toEqual(goodbye)
})
