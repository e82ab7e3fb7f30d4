/** The end of a service with WebSockets open: what is in flight is answered before the goodbye, nothing new is begun. */
import { Deferred, Effect } from "effect"
import { expect, test } from "vitest"
import { grantedUpgrade, handSocket } from "../../testdata/handSocket.ts"
import { outcome } from "../../testdata/scriptedRuntime.ts"
import { openWorld } from "../../testdata/world.ts"

/** A client of a service whose runs wait until they are let go. */
const openClient = async () => {
  const gate = await Effect.runPromise(Deferred.make<void>())
  const world = await openWorld({ script: () => Effect.as(Deferred.await(gate), outcome()) })
  const client = handSocket(await grantedUpgrade(world.service, world.key))
  const ask = (id: string, method: string, params: object): void =>
    client.peer.message(JSON.stringify({ jsonrpc: "2.0", id, method, params }))
  return { ask, client, go: () => Effect.runPromise(Deferred.succeed(gate, undefined)), world }
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

test("a run that was asked for is answered before the goodbye; what is asked meanwhile is refused", async () => {
  const { ask, client, go, world } = await openClient()
  ask("run", "feed.execute", { execProgramId: world.execProgramId })
  await until(() => world.requests.length === 1)
  const disposed = world.service.dispose()
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(client.goodbyes).toEqual([])
  ask("late", "feed.execute", { execProgramId: world.execProgramId })
  await until(() => client.texts.length === 2)
  await go()
  await disposed
  const [authorized, late, run, ...more] = messagesOf(client.texts)
  expect([authorized?.method, late?.id, late?.error?.code, run?.id]).toEqual(["authorized", "late", 36053, "run"])
  expect(run?.result).toBeDefined()
  expect(more).toEqual([])
  expect(client.goodbyes).toEqual(goodbye)
  expect(world.ledgerCalls).toEqual(["hold", "settle"])
})

test("a feed's run that is in flight is delivered before the goodbye, and is its last", async () => {
  const { ask, client, go, world } = await openClient()
  const execute = { execProgramId: world.execProgramId }
  ask("start", "feed.start", { execute, periodicityMs: 10, mode: "FIXED" })
  await until(() => world.requests.length === 1)
  const disposed = world.service.dispose()
  await new Promise((resolve) => setTimeout(resolve, 50))
  await go()
  await disposed
  expect(messagesOf(client.texts).map(({ id, method }) => method ?? id)).toEqual(["authorized", "start", "feed.result"])
  expect(client.goodbyes).toEqual(goodbye)
  expect(world.ledgerCalls).toEqual(["hold", "settle"])
})

test("a client with nothing in flight hears the goodbye at once, while others' runs go on", async () => {
  const { ask, client, go, world } = await openClient()
  const idle = handSocket(await grantedUpgrade(world.service, world.key))
  ask("run", "feed.execute", { execProgramId: world.execProgramId })
  await until(() => world.requests.length === 1)
  const disposed = world.service.dispose()
  await until(() => idle.goodbyes.length > 0)
  expect(idle.goodbyes).toEqual(goodbye)
  expect(client.goodbyes).toEqual([])
  await go()
  await disposed
  expect(client.goodbyes).toEqual(goodbye)
})
