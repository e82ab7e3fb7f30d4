/** Audits under bounded load: thousands of malformed frames, requests and connections; nothing crashes, nothing leaks. */
import { type Audit, audit } from "../audit.ts"
import { type Check, holds, same } from "../check.ts"
import { at, send } from "../rest/call.ts"
import { faultBytes, frameFaults } from "./frameFaults.ts"
import { encodeFrame, type Frame, opcodes } from "../../wire/frames.ts"
import { type Draw, oneOf, seeded } from "./randomness.ts"
import { ask, awaitResults, pause, requestText, settledCredits, startFeed } from "./requests.ts"
import { type WireClient } from "../../wire/wireClient.ts"
import { patienceOf, dialTarget, openClient, withClient, type WsTarget } from "./wsTarget.ts"

/** Does something many times, a few concurrently. */
const repeat = async (times: number, atOnce: number, act: (number: number) => Promise<void>): Promise<void> => {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < times) await act((next += 1))
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

/** How many of a load's connections or requests are made to a target. */
const shareOf = (count: number, { loadShare = 1 }: WsTarget): number => Math.ceil(count * loadShare)

const randomBytes = (draw: Draw, length: number): Uint8Array => Uint8Array.from({ length }, () => draw(256))

/** A random frame, valid or not. */
const randomFrame = (draw: Draw): Frame => ({
  opcode: draw(16),
  payload: draw(4) === 0 ? randomBytes(draw, draw(300)) : oneOf(draw, ["{}", "[", "", '{"jsonrpc":"2.0"', "½"]),
  fin: draw(4) > 0,
  masked: draw(8) > 0,
  reserved: draw(6) === 0 ? draw(8) : 0,
  lengthBytes: oneOf(draw, [0, 2, 8] as const)
})

/** A frame with some bytes changed. */
const damaged = (draw: Draw, bytes: Buffer): Buffer => {
  const copy = Buffer.from(bytes)
  for (let flips = 1 + draw(4); flips > 0; flips -= 1) {
    const at = draw(copy.length)
    copy[at] = (copy[at] ?? 0) ^ (1 << draw(8))
  }
  return copy
}

/** A text frame without an effect. */
const properFrame = encodeFrame({ opcode: opcodes.text, payload: requestText("x", "feed.nothing", {}) })
const smallFaults = frameFaults.map(faultBytes).filter((bytes) => bytes.length < 1_000)

const malformed = (draw: Draw): Buffer => {
  switch (draw(4)) {
    case 0:
      return Buffer.from(randomBytes(draw, 1 + draw(60)))
    case 1:
      return damaged(draw, properFrame)
    case 2:
      return smallFaults[draw(smallFaults.length)] ?? properFrame
    default:
      return encodeFrame(randomFrame(draw))
  }
}

const frameConnections = 1_000
const framesEach = 10

const survivesMalformedFrames = audit<WsTarget>(
  "WS-LOAD-001",
  "MUST",
  "D18, D41",
  `${frameConnections * framesEach} malformed frames crash nothing, and never give a result`,
  async (target) => {
    const draw = seeded(1)
    const witness = await openClient(target)
    let refused = 0
    let results = 0
    await repeat(shareOf(frameConnections, target), 8, async () => {
      const { client } = await dialTarget(target)
      if (client === undefined) {
        refused += 1
        return
      }
      for (let count = 0; count < framesEach && (await client.ended(0)) === undefined; count += 1) {
        client.write(malformed(draw))
        // However late a busy service answers: what it answers to the frame comes before its next answer to somebody else.
        await ask(witness, "feed.nothing", {})
      }
      await client.ended(50)
      results += client.messages.filter(({ json }) => "result" in json).length
      client.reset()
    })
    const reply = await ask(witness, "feed.execute", { execProgramId: target.programs.echo, execInputs: "a" })
    witness.reset()
    return [
      same("connections refused", refused, 0),
      same("results", results, 0),
      same("an earlier connection continues", at(reply?.json, "result", "data", "result"), "0x61"),
      same("health", (await send(target, { path: "/health", key: null })).status, 200)
    ]
  }
)

/** Opens a connection; the place of one that has just ended is free a moment later. */
const openSoon = async (target: WsTarget, key: string): Promise<WireClient | undefined> => {
  const deadline = performance.now() + (target.settlingMs ?? patienceOf(target))
  for (;;) {
    const { client } = await dialTarget(target, { key })
    if (client !== undefined || performance.now() > deadline) return client
    await pause(50)
  }
}

const cycles = 1_000

const leavesNothing = audit<WsTarget>(
  "WS-LOAD-002",
  "MUST",
  "D32/D41",
  `${cycles} connections that end with running feeds, properly or not, leave no connection and no feed behind`,
  async (target) => {
    if (target.operator === undefined) return { skip: "a project of its own needs an operator" }
    const key = await target.operator.freshKey()
    const count = shareOf(cycles, target)
    let refused = 0
    await repeat(count, 8, async (number) => {
      const client = await openSoon(target, key)
      if (client === undefined) {
        refused += 1
        return
      }
      const feedId = await startFeed(client, {
        execute: { execProgramId: target.programs.echo },
        periodicityMs: 20,
        mode: oneOf(seeded(number), ["FIXED", "SEQUENTIAL", "PARALLEL"] as const)
      })
      if (number % 2 === 0) await awaitResults(client, feedId, 2)
      if (number % 3 === 0) await client.bye()
      client.reset()
    })
    const settled = await settledCredits(target, key)
    const checks: Array<Check> = [
      holds("no run is charged after all have ended", settled !== undefined, settled),
      same("refused for long", refused, 0)
    ]
    // Every place is free again: the limit of connections would show a leak.
    const clients = await Promise.all(Array.from({ length: 20 }, () => openSoon(target, key)))
    checks.push(same("free places", clients.filter((client) => client !== undefined).length, 20))
    for (const client of clients) client?.reset()
    return checks
  }
)

const requests = 10_000

/** A request that is valid, wrong in one thing, or not JSON; and whether its reply can carry its id. */
const randomRequest = (draw: Draw, id: string, target: WsTarget): readonly [text: string, carriesId: boolean] => {
  const { echo } = target.programs
  const params = oneOf<unknown>(draw, [{ execProgramId: echo }, {}, { execProgramId: 1 }, { feedId: "x" }, { execute: {} }])
  const method = oneOf(draw, ["feed.execute", "feed.start", "feed.stop", "feed.none", ""])
  const right = requestText(id, method, params)
  switch (draw(6)) {
    case 0:
      return [right.slice(0, draw(right.length)), false]
    case 1:
      return [JSON.stringify({ jsonrpc: "2.1", id, method, params }), false]
    case 2:
      return [JSON.stringify({ jsonrpc: "2.0", id, method, params: oneOf(draw, [null, [], "text", 7]) }), true]
    case 3:
      return [JSON.stringify({ jsonrpc: "2.0", id: oneOf(draw, [null, 7, {}, true]), method, params }), false]
    default:
      return [right, true]
  }
}

const answersOnce = audit<WsTarget>(
  "WS-LOAD-003",
  "MUST",
  "interface.md#websocket-interface/D17",
  `${requests} generated requests get exactly one reply each`,
  (target) =>
    withClient(target, async (client) => {
      const draw = seeded(3)
      const count = shareOf(requests, target)
      const expected = new Map<string | null, number>()
      for (let sent = 1; sent <= count; sent += 1) {
        const id = `load-${sent}`
        const [text, carriesId] = randomRequest(draw, id, target)
        const key = carriesId ? id : null
        expected.set(key, (expected.get(key) ?? 0) + 1)
        client.sendText(text)
        // At most 100 are unanswered at a time.
        if (sent % 100 === 0) await client.until(() => (client.messages.length > sent ? true : undefined))
      }
      await client.until(() => (client.messages.length > count ? true : undefined))
      await pause(200)
      const replies = new Map<unknown, number>()
      for (const { json } of client.messages.slice(1)) replies.set(json["id"], (replies.get(json["id"]) ?? 0) + 1)
      const wrong = [...expected].filter(([id, count]) => replies.get(id) !== count)
      return [
        same("requests without exactly one reply", wrong.slice(0, 5), []),
        same("messages, authorized included", client.messages.length, 1 + count)
      ]
    })
)

/** Bounded load. */
export const loadAudits: ReadonlyArray<Audit<WsTarget>> = [survivesMalformedFrames, leavesNothing, answersOnce]
