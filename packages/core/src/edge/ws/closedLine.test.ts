/** The log has a line for each connection that the service closes, and a metric counts it: a client that does not read is not reached by its close frame. */
import { Effect, HashMap, Layer, Logger } from "effect"
import { expect, test } from "vitest"
import type { Limits } from "../../domain/settings/limits.ts"
import { metricList } from "../../ports/metrics/metricList.ts"
import { type Measuring, Metrics, silent } from "../../ports/metrics/metrics.ts"
import { AccessLog } from "../../services/logs/accessLog.ts"
import { grantedUpgrade, handSocket } from "../../testdata/handSocket.ts"
import { eventually } from "../../testdata/rpcClient.ts"
import { openTestService } from "../../testdata/testService.ts"
import type { Peer, Socket } from "../transport/seam.ts"

/** A service whose lines about connections are kept. */
const openLogged = async (limits: Partial<Limits> = {}) => {
  const opened = await openTestService({ options: { limits } })
  const lines: Array<Record<string, unknown>> = []
  const logger = Logger.make<unknown, void>(({ annotations, message }) => {
    if (String(message) === "connection closed") lines.push(Object.fromEntries(HashMap.toEntries(annotations)))
  })
  const counted: Array<string> = []
  const metrics: Measuring = {
    ...silent,
    isOn: true,
    add: (metric, by, ...labels) => void (metric === metricList.connectionsClosed && counted.push(`${by} ${labels.join()}`))
  }
  const service = await opened.openAnother((stores) =>
    Layer.mergeAll(
      Layer.succeedContext(stores),
      Logger.add(logger),
      Layer.succeed(AccessLog, AccessLog.toLoggers(true)),
      Layer.succeed(Metrics, metrics)
    )
  )
  const { key, keys, project } = opened
  const of = { part: "requests", project_id: project.projectId, key_id: key.split("_")[2] ?? "" }
  const open = (): Promise<(socket: Socket) => Peer> => grantedUpgrade(service, key)
  const end = async (): Promise<void> => {
    await service.dispose()
    await opened.service.dispose()
  }
  return { lines, counted, of, keys, open, end }
}

test("of a client that does not read: why, how many feeds it had, and how much waits", async () => {
  const { counted, end, lines, of, open } = await openLogged()
  const opening = await open()
  let waitingBytes = 0
  const nothing = (): void => {}
  const socket: Socket = { sendTexts: nothing, bufferedAmount: () => waitingBytes, ping: nothing, close: nothing, terminate: nothing }
  const peer = opening(socket)
  waitingBytes = 20_000_000
  peer.drain()
  await eventually(() => lines[0], "a line")
  const reason = "more than 16777216 bytes are waiting"
  expect(lines).toEqual([{ ...of, code: 1013, reason, feeds: 0, waiting_bytes: waitingBytes }])
  peer.closed(1013, "")
  await end()
  expect(counted).toEqual(["1 slow_reader"])
})

test("none of a connection that its client ends, or that is closed with the service", async () => {
  const { counted, end, lines, open } = await openLogged()
  const [left, stayed] = [handSocket(await open()), handSocket(await open())]
  left.peer.closed(1000, "")
  await end()
  expect(stayed.closeFrames).toEqual([[1001, "the service is closing"]])
  expect(lines).toEqual([])
  expect(counted).toEqual(["1 shutdown"])
})

test("of a key that was revoked", async () => {
  const { counted, end, keys, lines, of, open } = await openLogged()
  const revoked = handSocket(await open())
  await Effect.runPromise(keys.revoke(of.key_id))
  await eventually(() => revoked.closeFrames[0], "a close frame")
  await eventually(() => lines[0], "a line")
  await end()
  expect(lines).toEqual([{ ...of, code: 1008, reason: "the key is revoked or expired", feeds: 0, waiting_bytes: 0 }])
  expect(counted).toEqual(["1 key_ended"])
})

test.each<[string, (peer: Peer) => void]>([
  ["binary", (peer) => peer.message(Uint8Array.of(1))],
  ["too_large", (peer) => peer.message("x".repeat(9_000_000))],
  ["flood", (peer) => Array.from({ length: 5_000 }, () => peer.message("junk"))]
])("the metric has the reason %s", async (reason, send) => {
  const { counted, end, open } = await openLogged()
  send(handSocket(await open()).peer)
  expect(counted).toEqual([`1 ${reason}`])
  await end()
})

test("the metric has the reason too_many, of the one that opened beyond what a key may have", async () => {
  const { counted, end, open } = await openLogged({ connectionsPerKey: 1 })
  // Both upgrades are granted before the first is open.
  const [first, second] = [await open(), await open()]
  const stayed = handSocket(first)
  expect(handSocket(second).closeFrames).toEqual([[1013, "a key has at most 1 connections"]])
  expect([stayed.closeFrames, counted]).toEqual([[], ["1 too_many"]])
  await end()
})

test("the metric has the reason broken, once, of an adapter's socket that throws", async () => {
  const { counted, end, open } = await openLogged()
  const broken = (): never => {
    throw new Error("the runtime's socket is gone")
  }
  const nothing = (): void => {}
  const peer = (await open())({ sendTexts: nothing, bufferedAmount: broken, ping: broken, close: nothing, terminate: nothing })
  peer.drain()
  peer.drain()
  expect(counted).toEqual(["1 broken"])
  await end()
})
