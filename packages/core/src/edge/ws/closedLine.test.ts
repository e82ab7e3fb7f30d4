/** The log has a line for each connection that the service closes: a client that does not read is not reached by its close frame. */
import { Effect, HashMap, Layer, Logger } from "effect"
import { expect, test } from "vitest"
import { AccessLog } from "../../services/logs/accessLog.ts"
import { grantedUpgrade, handSocket } from "../../testdata/handSocket.ts"
import { eventually } from "../../testdata/rpcClient.ts"
import { openTestService } from "../../testdata/testService.ts"
import type { Peer, Socket } from "../transport/seam.ts"

/** A service whose lines about connections are kept. */
const openLogged = async () => {
  const opened = await openTestService()
  const lines: Array<Record<string, unknown>> = []
  const logger = Logger.make<unknown, void>(({ annotations, message }) => {
    if (String(message) === "connection closed") lines.push(Object.fromEntries(HashMap.toEntries(annotations)))
  })
  const service = await opened.openAnother((stores) =>
    Layer.mergeAll(Layer.succeedContext(stores), Logger.add(logger), Layer.succeed(AccessLog, AccessLog.toLoggers(true)))
  )
  const { key, keys, project } = opened
  const of = { part: "requests", project_id: project.projectId, key_id: key.split("_")[2] ?? "" }
  const open = (): Promise<(socket: Socket) => Peer> => grantedUpgrade(service, key)
  const end = async (): Promise<void> => {
    await service.dispose()
    await opened.service.dispose()
  }
  return { lines, of, keys, open, end }
}

test("of a client that does not read: why, how many feeds it had, and how much waits", async () => {
  const { end, lines, of, open } = await openLogged()
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
})

test("none of a connection that its client ends, or that is closed with the service", async () => {
  const { end, lines, open } = await openLogged()
  const [left, stayed] = [handSocket(await open()), handSocket(await open())]
  left.peer.closed(1000, "")
  await end()
  expect(stayed.closeFrames).toEqual([[1001, "the service is closing"]])
  expect(lines).toEqual([])
})

test("of a key that was revoked", async () => {
  const { end, keys, lines, of, open } = await openLogged()
  const revoked = handSocket(await open())
  await Effect.runPromise(keys.revoke(of.key_id))
  await eventually(() => revoked.closeFrames[0], "a close frame")
  await eventually(() => lines[0], "a line")
  await end()
  expect(lines).toEqual([{ ...of, code: 1008, reason: "the key is revoked or expired", feeds: 0, waiting_bytes: 0 }])
})
