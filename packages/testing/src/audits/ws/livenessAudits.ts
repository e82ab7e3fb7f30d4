/** Audits of which connections stay open: pings, silent clients, keys that end, slow readers (D41). */
import { type Audit, audit, beside } from "../audit.ts"
import { type Check, holds, same } from "../check.ts"
import { at, send } from "../rest/call.ts"
import { opcodes } from "../../wire/frames.ts"
import { ask, freshId, pause, requestText, startFeed } from "./requests.ts"
import { type Ending, type WireClient } from "../../wire/wireClient.ts"
import { patienceOf, dialTarget, openClient, withClient, type WsTarget } from "./wsTarget.ts"

const defaultPingIntervalMs = 30_000

const answersPings = audit<WsTarget>(
  "WS-LIVE-001",
  "MUST",
  "RFC 6455, section 5.5.2",
  "a ping is answered with a pong of the same payload",
  (target) =>
    withClient(target, async (client) => {
      const checks: Array<Check> = []
      for (const payload of ["", "payload", "x".repeat(125)]) {
        const pongs = () => client.frames.filter(({ opcode }) => opcode === opcodes.pong)
        const before = pongs().length
        client.send({ opcode: opcodes.ping, payload })
        const pong = await client.until(() => pongs()[before])
        checks.push(same(`ping of ${payload.length} bytes`, pong?.payload.toString(), payload))
      }
      return checks
    })
)

const closesTheSilent = audit<WsTarget>(
  "WS-LIVE-002",
  "MUST",
  "interface.md#feed-lifecycle/D41",
  "the service pings; a client without a pong before the next ping is disconnected, whatever else it sends; one with a pong stays",
  async (target) => {
    const intervalMs = target.pingIntervalMs ?? defaultPingIntervalMs
    const silent = await openClient(target, { answersPings: false })
    const answering = await openClient(target)
    const chatter = setInterval(() => silent.sendText(requestText(freshId(), "feed.nothing", {})), intervalMs / 4)
    const ending = await silent.ended(2 * intervalMs + patienceOf(target))
    clearInterval(chatter)
    const pings = (client: WireClient): number => client.frames.filter(({ opcode }) => opcode === opcodes.ping).length
    await answering.until(() => (pings(answering) >= 3 ? true : undefined), 3 * intervalMs + patienceOf(target))
    const reply = await ask(answering, "feed.nothing", {})
    for (const client of [silent, answering]) client.reset()
    return [
      holds("the silent one is disconnected", ending !== undefined, ending),
      same("its pings", pings(silent), 1),
      holds("the other one has three pings", pings(answering) >= 3, pings(answering)),
      same("and is answered", at(reply?.json, "error", "code"), 32601)
    ]
  }
)

/** Ten times the second within which it has to happen. */
const noticeMs = 10_000

const endsWithItsKey = audit<WsTarget>(
  "WS-LIVE-003",
  "MUST",
  "D41",
  "revoking a key closes its connections with 1008 within a second, and no others",
  async (target) => {
    const { operator } = target
    if (operator === undefined) return { skip: "revoking needs an operator" }
    const [key, neighbour] = [await operator.freshKey(), await operator.freshKey()]
    const clients = [await openClient(target, { key }), await openClient(target, { key })]
    const other = await openClient(target, { key: neighbour })
    for (const client of clients) {
      await startFeed(client, { execute: { execProgramId: target.programs.echo }, mode: "PARALLEL", periodicityMs: 20 })
    }
    await operator.revoke(key)
    const endings = await Promise.all(clients.map((client) => client.ended(noticeMs)))
    const reply = await ask(other, "feed.nothing", {})
    other.reset()
    return [
      same(
        "codes",
        endings.map((ending) => ending?.code),
        [1008, 1008]
      ),
      holds(
        "with a reason",
        endings.every((ending) => ending !== undefined && ending.reason !== ""),
        endings
      ),
      same("another key is answered", at(reply?.json, "error", "code"), 32601)
    ]
  }
)

const validitiesMs = [2_000, 10_000, 40_000] as const

/** How far apart the clocks of a service's servers may be. */
const skewMs = 1_000

const endsWhenItsKeyExpires = audit<WsTarget>(
  "WS-LIVE-004",
  "MUST",
  "D41",
  "the expiry of a key closes its connection with 1008, and is that of GET /verify; after it the key is 401, on the upgrade as over REST",
  async (target) => {
    const { operator } = target
    if (operator === undefined) return { skip: "a key that expires needs an operator" }
    // On a busy machine a key may be over before it is used: then one that is valid for longer is tried.
    for (const validForMs of validitiesMs) {
      const key = await operator.freshKey(validForMs)
      const dialled = await dialTarget(target, { key })
      if (dialled.client === undefined && validForMs !== validitiesMs.at(-1)) continue
      const first = await dialled.client?.until(() => dialled.client?.messages[0])
      const expiresAt = String(at(first?.json, "params", "apiKeyExpiresAt"))
      const shown = await send(target, { path: "/verify", key })
      const ending = await dialled.client?.ended(validForMs + noticeMs)
      // Another server of the service may have a clock of its own.
      await pause(skewMs)
      const late = await dialTarget(target, { key })
      late.client?.reset()
      return [
        holds("authorized says when", Math.abs(Date.parse(expiresAt) - Date.now()) < validForMs + noticeMs, expiresAt),
        // On a busy machine it may be over by then.
        ...(shown.status === 401 ? [] : [same("GET /verify says the same", at(shown.json, "apiKeyExpiresAt"), expiresAt)]),
        same("code", ending?.code, 1008),
        same("an upgrade after it", late.client === undefined ? late.answer?.status : 101, 401),
        same("GET /verify after it", (await send(target, { path: "/verify", key })).status, 401)
      ]
    }
    return []
  }
)

const floodRequests = 32

const overloaded = 36_053

/** Requests about 40 MB of results. */
const flood = (client: WireClient, target: WsTarget): void => {
  const params = { execProgramId: target.programs.echo, execInputs: "f".repeat(90_000), includeDebugInfo: "true" }
  for (let number = 0; number < floodRequests; number += 1) client.sendText(requestText(freshId(), "feed.execute", params))
}

/** How a flooded client's connection ends; `undefined` if it has received everything, or nothing more arrives. */
const endOfFlood = async (client: WireClient): Promise<Ending | undefined> => {
  await client.until(() => (client.messages.length > floodRequests ? true : undefined))
  return client.ended(0)
}

/**
 * How long the slow client does not read: longer than the five seconds for which a buffer may stay full plus the two that a close may take. A busy
 * service may not have had as much to send until then, so that it is tried once more for longer.
 */
const sleepsMs = [9_000, 30_000] as const

const cutsSlowReaders = audit<WsTarget>(
  "WS-LIVE-005",
  "MUST",
  "D41",
  "a client that sends requests and does not read is disconnected, while another continues",
  async (target) => {
    const other = await openClient(target)
    const checks: Array<Check> = []
    for (const sleepMs of sleepsMs) {
      const slow = await openClient(target)
      slow.pause()
      flood(slow, target)
      const startedMs = performance.now()
      let [asked, ran, refused] = [0, 0, 0]
      while (performance.now() - startedMs < sleepMs) {
        const id = freshId()
        other.sendText(requestText(id, "feed.execute", { execProgramId: target.programs.echo, execInputs: "a" }))
        asked += 1
        // Both are of one project, so that this run may wait for those of the flood: on a busy machine few are asked for, and each late.
        const reply = await other.reply(id, 6 * patienceOf(target))
        if (at(reply?.json, "result", "data", "result") === "0x61") ran += 1
        // Behind the runs of the flood it may have waited too long: that it is told so is an answer.
        else if (at(reply?.json, "error", "code") === overloaded) refused += 1
        await pause(100)
      }
      slow.resume()
      const ending = await endOfFlood(slow)
      checks.push(
        same("the other one was answered throughout", ran + refused, asked),
        holds("its runs were not all refused", ran > 0, refused)
      )
      if (ending === undefined && sleepMs !== sleepsMs.at(-1)) continue
      checks.push(
        holds("disconnected", ending !== undefined, ending),
        holds("not all of it was sent", slow.messages.length <= floodRequests, slow.messages.length)
      )
      break
    }
    other.reset()
    return checks
  }
)

/** How long a client that has been closed may take to read it, in ms (D41). */
const readableMs = 2_000

/** Enough where a busy machine changes, from one try to the next, when the close comes. */
const mostTries = 20

const closesSlowReaders = audit<WsTarget>(
  "WS-LIVE-006",
  "MUST",
  "D41",
  "a slow client that reads again in time receives the close with 1013 and the reason",
  async (target) => {
    // A client cannot see when the service closes, so this tries: it reads later if it was not closed yet, and sooner if it was cut off.
    let [inTimeMs, tooLateMs] = [500, Number.POSITIVE_INFINITY]
    const tried: Array<string> = []
    while (tried.length < mostTries) {
      const sleepMs = Math.min(2 * inTimeMs, (inTimeMs + tooLateMs) / 2)
      const slow = await openClient(target)
      slow.pause()
      flood(slow, target)
      await pause(sleepMs)
      slow.resume()
      const ending = await endOfFlood(slow)
      slow.reset()
      if (ending !== undefined && ending.code !== 1006) {
        return [same("code", ending.code, 1013), holds("with a reason", ending.reason !== "", ending)]
      }
      // An earlier try may have met another load: what it told is not believed closer than the time in which a close can be read.
      if (ending === undefined) {
        inTimeMs = sleepMs
        tooLateMs = Math.max(tooLateMs, sleepMs + readableMs)
      } else {
        tooLateMs = sleepMs
        inTimeMs = Math.max(250, Math.min(inTimeMs, sleepMs - readableMs))
      }
      tried.push(`reading after ${Math.round(sleepMs)} ms: ${ending === undefined ? "everything came" : "no close frame"}`)
    }
    return [holds("closed with 1013", false, tried)]
  }
)

/** Which connections stay open. */
export const livenessAudits: ReadonlyArray<Audit<WsTarget>> = [
  answersPings,
  beside(closesTheSilent),
  endsWithItsKey,
  beside(endsWhenItsKeyExpires),
  cutsSlowReaders,
  closesSlowReaders
]
