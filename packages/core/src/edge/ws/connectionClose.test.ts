/** A connection sends one close frame, also if it finds its client too slow while sending it. */
import { expect, test } from "vitest"
import { grantedUpgrade } from "../../testdata/handSocket.ts"
import { openTestService } from "../../testdata/testService.ts"
import type { Socket } from "../transport/seam.ts"

test("a client that is found too slow during another close gets one close frame", async () => {
  const { key, service } = await openTestService()
  const open = await grantedUpgrade(service, key)
  const closeFrames: Array<number> = []
  let waitingBytes = 0
  const socket: Socket = {
    sendTexts: () => {
      waitingBytes = 20_000_000
    },
    bufferedAmount: () => waitingBytes,
    ping: () => {},
    close: (code) => void closeFrames.push(code),
    terminate: () => {}
  }
  const peer = open(socket)
  // `authorized` still waits for the end of the turn: the close flushes it and then checks the backlog.
  peer.message(Uint8Array.of(1))
  expect(closeFrames).toEqual([1003])
  peer.closed(1003, "")
  await service.dispose()
})
