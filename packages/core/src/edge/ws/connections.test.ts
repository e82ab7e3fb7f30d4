/** Edge cases of connections: too many at once, opened while the service ends, clients that do not close. */
import { expect, it } from "vitest"
import { askUpgrade, grantedUpgrade, handSocket } from "../../testdata/handSocket.ts"
import { openTestService } from "../../testdata/testService.ts"

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1))
}

it("a burst of upgrades opens as many connections as a key may have", async () => {
  const { key, service } = await openTestService({ options: { limits: { connectionsPerKey: 5 } } })
  // All upgrades are granted before the first is open.
  const granted = await Promise.all(Array.from({ length: 12 }, () => grantedUpgrade(service, key)))
  const sockets = granted.map((open) => handSocket(open))
  expect(sockets.filter(({ closeFrames }) => closeFrames.length === 0).length).toBe(5)
  const turnedAway = sockets.filter(({ closeFrames }) => closeFrames.length > 0)
  expect(new Set(turnedAway.map(({ closeFrames }) => closeFrames.join()))).toEqual(new Set(["1013,a key has at most 5 connections"]))
  expect(await askUpgrade(service, key)).toMatchObject({ status: 429 })
  // Refused connections do not count.
  sockets.find(({ closeFrames }) => closeFrames.length === 0)?.peer.closed(1000, "")
  expect(handSocket(await grantedUpgrade(service, key)).closeFrames).toEqual([])
  await service.dispose()
})

it("the end of the service sends each client one close frame, and waits for its answer", async () => {
  const { key, service } = await openTestService()
  const sockets = [handSocket(await grantedUpgrade(service, key)), handSocket(await grantedUpgrade(service, key))]
  await service.dispose()
  expect(sockets.map(({ closeFrames, isCut }) => [closeFrames, isCut])).toEqual([
    [[[1001, "the service is closing"]], false],
    [[[1001, "the service is closing"]], false]
  ])
})

it("the end of the service cuts off a client that does not answer", async () => {
  const { key, service } = await openTestService()
  const socket = handSocket(await grantedUpgrade(service, key), "never answers")
  await service.dispose()
  expect([socket.closeFrames, socket.isCut]).toEqual([[[1001, "the service is closing"]], true])
})

it("a connection that opens while the service ends is closed at once", async () => {
  const { key, service } = await openTestService()
  const open = await grantedUpgrade(service, key)
  const disposed = service.dispose()
  await until(() => handSocket(open).closeFrames.length > 0)
  const late = handSocket(open)
  expect(late.closeFrames).toEqual([[1001, "the service is closing"]])
  await disposed
})
