/** A WebSocket message may be as long as the body of a request: as many bytes as the limits of its project say. */
import { Effect } from "effect"
import { expect, test } from "vitest"
import { grantedUpgrade, handSocket } from "../../testdata/handSocket.ts"
import { openWorld, seamRequest, type OpenWorld } from "../../testdata/world.ts"

const serviceBytes = 3_000

/** A world whose project has `requestBytes` of its own, or the service's. */
const open = (requestBytes: number | undefined): Promise<OpenWorld> => {
  const project = requestBytes === undefined ? {} : { project: { limits: { requestBytes } } }
  return openWorld({ ...project, options: { limits: { requestBytes: serviceBytes } } })
}

/** A call of no method, padded with a character and then with spaces to so many bytes. */
const messageOf = (bytes: number, padding = ""): string => {
  const text = `{"jsonrpc":"2.0","id":"1","method":"none","padding":"${padding}"}`
  return text + " ".repeat(bytes - Buffer.byteLength(text))
}

/** The codes of the goodbyes, and the ids of the replies, after a message of a new connection. */
const said = async ({ key, service }: OpenWorld, message: string) => {
  const { goodbyes, peer, texts } = handSocket(await grantedUpgrade(service, key))
  await new Promise((resolve) => setTimeout(resolve))
  peer.message(message)
  await new Promise((resolve) => setTimeout(resolve))
  const replies = texts.filter((text) => text.includes("MethodNotFound"))
  if (goodbyes.length === 0) peer.closed(1000, "")
  return { closed: goodbyes.map(([code]) => code), replies: replies.length }
}

const read = { closed: [], replies: 1 }
const refused = { closed: [1009], replies: 0 }

/** How long a body of `POST /execute` may be, as the adapter is told. */
const bytesOfBody = async ({ key, service }: OpenWorld): Promise<number | undefined> => {
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
  const world = await open(own)
  expect(await said(world, messageOf(most))).toEqual(read)
  expect(await said(world, messageOf(most + 1))).toEqual(refused)
  expect(await bytesOfBody(world)).toBe(most)
  await world.service.dispose()
})

test("bytes count, not characters", async () => {
  const world = await open(1_000)
  for (const character of ["½", "€", "𝄞"]) {
    const padding = character.repeat(Math.floor(800 / Buffer.byteLength(character)))
    expect(await said(world, messageOf(1_000, padding)), character).toEqual(read)
    expect(await said(world, messageOf(1_001, padding)), character).toEqual(refused)
  }
  await world.service.dispose()
})

test("a changed limit is that of the next message", async () => {
  const world = await open(undefined)
  await Effect.runPromise(world.provisioning.updateProject(world.project.projectId, { limits: { requestBytes: 60_000 } }))
  expect(await said(world, messageOf(60_000))).toEqual(read)
  expect(await said(world, messageOf(60_001))).toEqual(refused)
  await world.service.dispose()
})
