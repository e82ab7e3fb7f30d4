/** A connection says goodbye once, also when it finds its client too slow in the very moment of saying it. */
import { expect, test } from "vitest"
import { grantedUpgrade } from "../../testdata/handSocket.ts"
import { openWorld } from "../../testdata/world.ts"
import type { Socket } from "../transport/seam.ts"

test("a client that is too slow at the moment of another goodbye hears one of them only", async () => {
  const { key, service } = await openWorld()
  const open = await grantedUpgrade(service, key)
  const goodbyes: Array<number> = []
  let waitingBytes = 0
  const socket: Socket = {
    sendTexts: () => {
      waitingBytes = 20_000_000
    },
    bufferedAmount: () => waitingBytes,
    ping: () => {},
    close: (code) => void goodbyes.push(code),
    terminate: () => {}
  }
  const peer = open(socket)
  // `authorized` still waits for the end of the turn: the goodbye itself hands it over and sees how much is waiting.
  peer.message(Uint8Array.of(1))
  expect(goodbyes).toEqual([1003])
  peer.closed(1003, "")
  await service.dispose()
})
