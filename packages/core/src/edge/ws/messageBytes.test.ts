/** A WebSocket message may be as long as the body of a request: as many bytes as the limits of its project say. */
import { Effect } from "effect"
import { expect, test } from "vitest"
import { grantedUpgrade, handSocket } from "../../testdata/handSocket.ts"
import { openTestService, seamRequest, type OpenTestService } from "../../testdata/testService.ts"

const serviceBytes = 3_000

/** A test service whose project has `requestBytes` of its own, or the service's. */
const open = (requestBytes: number | undefined): Promise<OpenTestService> => {
  const project = requestBytes === undefined ? {} : { project: { limits: { requestBytes } } }
  return openTestService({ ...project, options: { limits: { requestBytes: serviceBytes } } })
}

/** A request without a method, padded with a character and then with spaces to `bytes` bytes. */
const messageOf = (bytes: number, padding = ""): string => {
  const text = `{"jsonrpc":"2.0","id":"1","method":"none","padding":"${padding}"}`
  return text + " ".repeat(bytes - Buffer.byteLength(text))
}

/** The close codes, and the ids of the replies, after one message on a new connection. */
const said = async ({ key, service }: OpenTestService, message: string) => {
  const { closeFrames, peer, texts } = handSocket(await grantedUpgrade(service, key))
  await new Promise((resolve) => setTimeout(resolve))
  peer.message(message)
  await new Promise((resolve) => setTimeout(resolve))
  const replies = texts.filter((text) => text.includes("MethodNotFound"))
  if (closeFrames.length === 0) peer.closed(1000, "")
  return { closed: closeFrames.map(([code]) => code), replies: replies.length }
}

const read = { closed: [], replies: 1 }
const refused = { closed: [1009], replies: 0 }

/** How long a body of `POST /execute` may be, as the adapter is told. */
const bytesOfBody = async ({ key, service }: OpenTestService): Promise<number | undefined> => {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  let told: number | undefined
  const body = (maxBytes: number): Promise<Uint8Array> => {
    told = maxBytes
    return Promise.resolve(new Uint8Array())
  }
  await service.fetch({ ...seamRequest("POST", "/execute", { headers }), body })
  return told
}

test.for([
  ["the service's", undefined, serviceBytes],
  ["more than the service's", 50_000, 50_000],
  ["less than the service's", 1_000, 1_000]
] as const)("where the limit is %s, it is that of messages and of bodies", async ([, own, most]) => {
  const testService = await open(own)
  expect(await said(testService, messageOf(most))).toEqual(read)
  expect(await said(testService, messageOf(most + 1))).toEqual(refused)
  expect(await bytesOfBody(testService)).toBe(most)
  await testService.service.dispose()
})

test("bytes count, not characters", async () => {
  const testService = await open(1_000)
  for (const character of ["½", "€", "𝄞"]) {
    const padding = character.repeat(Math.floor(800 / Buffer.byteLength(character)))
    expect(await said(testService, messageOf(1_000, padding)), character).toEqual(read)
    expect(await said(testService, messageOf(1_001, padding)), character).toEqual(refused)
  }
  await testService.service.dispose()
})

test("a changed limit applies from the next message", async () => {
  const testService = await open(undefined)
  await Effect.runPromise(testService.provisioning.updateProject(testService.project.projectId, { limits: { requestBytes: 60_000 } }))
  expect(await said(testService, messageOf(60_000))).toEqual(read)
  expect(await said(testService, messageOf(60_001))).toEqual(refused)
  await testService.service.dispose()
})
