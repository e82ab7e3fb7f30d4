/** A flooding client is disconnected, and one that does not read gets no more runs (decision D41). */
import { setTimeout as sleep } from "node:timers/promises"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { grantedUpgrade, handSocket } from "../../testdata/handSocket.ts"
import { openTestService } from "../../testdata/testService.ts"
import type { Socket } from "../transport/seam.ts"

const request = (id: number, method: string, params: object): string => JSON.stringify({ jsonrpc: "2.0", id: String(id), method, params })

test("a flood of junk closes with 1008 before most of it is read", async () => {
  const { key, service } = await openTestService()
  const client = handSocket(await grantedUpgrade(service, key), "never answers")
  for (let sent = 0; sent < 5_000; sent += 1) client.peer.message("junk")
  expect(client.closeFrames.map(([code]) => code)).toEqual([1008])
  expect(client.texts.length).toBeLessThan(300)
  await service.dispose()
})

test.each([
  ["many small ones", "junk", 200_000],
  ["few large ones", "x".repeat(1_000_000), 100]
])("junk that comes slowly enough to be read closes with 1008 too: %s", async (_name, junk, most) => {
  const { key, service } = await openTestService()
  const client = handSocket(await grantedUpgrade(service, key), "never answers")
  for (let sent = 0; sent < most && client.closeFrames.length === 0; sent += 1) {
    client.peer.message(junk)
    if (sent % 50 === 0) await sleep(1)
  }
  expect(client.closeFrames.map(([code]) => code)).toEqual([1008])
  await service.dispose()
})

test("a burst of two hundred requests, some of them invalid, is answered in full", async () => {
  const { execProgramId, key, service } = await openTestService()
  const client = handSocket(await grantedUpgrade(service, key))
  for (let id = 0; id < 200; id += 1) client.peer.message(request(id, id % 2 === 0 ? "feed.execute" : "no", { execProgramId }))
  await expect.poll(() => client.texts.length).toBe(201)
  expect(client.closeFrames).toEqual([])
  await service.dispose()
})

test("a connection has at most so many requests that are not answered; further ones are refused at once, and nothing runs for them", async () => {
  const options = { limits: { requestsPerConnection: 3 } }
  const { execProgramId, key, requests, service } = await openTestService({ options, script: () => Effect.never })
  const client = handSocket(await grantedUpgrade(service, key), "never answers")
  for (let id = 0; id < 5; id += 1) client.peer.message(request(id, "feed.execute", { execProgramId }))
  await expect.poll(() => client.texts.length).toBe(3)
  const refusals = client.texts
    .slice(1)
    .map((text) => JSON.parse(text) as { readonly id: string; readonly error: { readonly _tag: string } })
  expect(refusals.map(({ error, id }) => [id, error._tag])).toEqual([
    ["3", "Overloaded"],
    ["4", "Overloaded"]
  ])
  await expect.poll(() => requests.length).toBe(3)
})

test("no run starts for a client that does not read, and they start again when it reads", async () => {
  const { execProgramId, key, requests, service } = await openTestService()
  const open = await grantedUpgrade(service, key)
  let waitingBytes = 0
  const texts: Array<string> = []
  const socket: Socket = {
    sendTexts: (frames) => void texts.push(...frames),
    bufferedAmount: () => waitingBytes,
    ping: () => {},
    close: () => {},
    terminate: () => {}
  }
  const peer = open(socket)
  for (const [id, mode] of ["PARALLEL", "FIXED", "SEQUENTIAL"].entries()) {
    peer.message(request(id, "feed.start", { periodicityMs: 10, mode, execute: { execProgramId } }))
  }
  await expect.poll(() => requests.length).toBeGreaterThan(20)
  waitingBytes = 2_000_000
  // The next flush shows the backlog; runs in flight may still end.
  await sleep(200)
  const started = requests.length
  peer.message(request(9, "feed.execute", { execProgramId }))
  await sleep(300)
  expect(requests.length).toBe(started)
  expect(texts.at(-1)).toContain("36053")
  waitingBytes = 0
  peer.drain()
  await expect.poll(() => requests.length).toBeGreaterThan(started + 20)
  peer.closed(1000, "")
  await service.dispose()
})
