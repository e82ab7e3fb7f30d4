/** Audits of open WebSockets in adapters: frames in both directions, the buffered amount, and reliable closing. */
import { defaultLimits } from "@sibyl/core"
import { type Audit, audit } from "../audits/audit.ts"
import { holds, matches, same } from "../audits/check.ts"
import { closePayload, opcodes } from "../wire/frames.ts"
import { dial, type WireClient } from "../wire/wireClient.ts"
import { type AdapterTarget, freshName, outcomeOf } from "./adapterTarget.ts"

const open = async (target: AdapterTarget, name = "", answersPings = true): Promise<WireClient> => {
  const { client } = await dial({ url: `${target.baseUrl}/open?name=${name}`, answersPings })
  if (client === undefined) throw new Error("the upgrade was refused")
  return client
}

/** Sends a text and waits for the next message. */
const told = async (client: WireClient, text: string): Promise<string | undefined> => {
  const before = client.messages.length
  client.sendText(text)
  return (await client.until(() => client.messages[before]))?.text
}

const texts = ["a", "½ € 𝄞", " ", "{}", "x".repeat(200_000)] as const

const carriesFrames = audit<AdapterTarget>(
  "ADAPTER-SOCKET-001",
  "MUST",
  "ARCHITECTURE.md#three-ideas",
  "texts arrive unchanged in both directions; bytes arrive as bytes",
  async (target) => {
    const client = await open(target)
    const back: Array<string | undefined> = []
    for (const text of texts) back.push(await told(client, text))
    client.send({ opcode: opcodes.binary, payload: Uint8Array.of(0, 1, 255) })
    const bytes = await client.until(() => client.messages[texts.length])
    client.reset()
    return [same("texts", back, texts), same("bytes", bytes?.text, "bytes 0001ff")]
  }
)

const burst = 10_000

const keepsOrder = audit<AdapterTarget>(
  "ADAPTER-SOCKET-002",
  "MUST",
  "ARCHITECTURE.md#three-ideas",
  `${burst} texts that are sent together arrive one by one, in order`,
  async (target) => {
    const client = await open(target)
    client.sendText(`burst ${burst}`)
    await client.until(() => client.messages[burst - 1])
    const wrong = client.messages.filter(({ text }, at) => text !== String(at))
    client.reset()
    return [same("texts", client.messages.length, burst), same("out of order", wrong.slice(0, 3), [])]
  }
)

const tellsOfPongs = audit<AdapterTarget>(
  "ADAPTER-SOCKET-003",
  "MUST",
  "ARCHITECTURE.md#three-ideas",
  "a ping reaches the client, its pong the service; without an answer there is no pong",
  async (target) => {
    const client = await open(target)
    const silent = await open(target, "", false)
    const pong = await told(client, "ping")
    silent.sendText("ping")
    await silent.until(() => silent.frames.find(({ opcode }) => opcode === opcodes.ping))
    const next = await told(silent, "no pong")
    for (const each of [client, silent]) each.reset()
    return [same("pong", pong, "pong"), same("without one", next, "no pong")]
  }
)

const tellsWhatWaits = audit<AdapterTarget>(
  "ADAPTER-SOCKET-004",
  "MUST",
  "ARCHITECTURE.md#three-ideas/D41",
  "unread output is counted and kept, and the service is notified when it has been read",
  async (target) => {
    const client = await open(target)
    client.pause()
    client.sendText("fill")
    await new Promise((resolve) => setTimeout(resolve, 500))
    client.resume()
    const last = await client.until(() => client.messages.find(({ text }) => text === "drained"))
    const pieces = client.messages.filter(({ text }) => text.length === 256 * 1024).length
    client.reset()
    return [same("told", last?.text, "drained"), holds("everything arrived", pieces >= 48, pieces)]
  }
)

const closesByEither = audit<AdapterTarget>(
  "ADAPTER-SOCKET-005",
  "MUST",
  "ARCHITECTURE.md#three-ideas",
  "the service's close reaches the client, the client's close the service, with code and reason",
  async (target) => {
    const [ours, theirs] = [freshName(), freshName()]
    const closed = await open(target, ours)
    closed.sendText("close 4001 enough is enough")
    const ending = await closed.ended()
    const closing = await open(target, theirs)
    closing.send({ opcode: opcodes.close, payload: closePayload(4002, "my own") })
    await closing.ended()
    return [
      same("at the client", ending, { code: 4001, reason: "enough is enough" }),
      // The client repeats only the code; whether the service sees its own reason again is left open.
      matches("at the service, by itself", await outcomeOf(target, ours), /^closed 4001 /),
      same("at the service, by the client", await outcomeOf(target, theirs), "closed 4002 my own")
    ]
  }
)

const endsForCertain = audit<AdapterTarget>(
  "ADAPTER-SOCKET-006",
  "MUST",
  "ARCHITECTURE.md#three-ideas",
  "a reset and a terminated connection are reported as closed with 1006, also with pending output",
  async (target) => {
    const [left, cut, full] = [freshName(), freshName(), freshName()]
    const leaving = await open(target, left)
    await told(leaving, "hello")
    leaving.reset()
    const one = await open(target, cut)
    one.sendText("terminate")
    const ending = await one.ended()
    const two = await open(target, full)
    two.pause()
    two.sendText("fill")
    two.sendText("terminate")
    const outcomes = [await outcomeOf(target, left), await outcomeOf(target, cut), await outcomeOf(target, full)]
    two.resume()
    const fullEnding = await two.ended()
    return [
      same(
        "outcomes",
        outcomes.map((outcome) => String(outcome).slice(0, 11)),
        Array(3).fill("closed 1006")
      ),
      same("at the client that was cut", ending?.code, 1006),
      same("at the one with output waiting", fullEnding?.code, 1006)
    ]
  }
)

const saysGoodbyeLast = audit<AdapterTarget>(
  "ADAPTER-SOCKET-007",
  "MUST",
  "D41",
  "a client that reads late still gets everything sent before the close, then the close",
  async (target) => {
    const name = freshName()
    const client = await open(target, name)
    client.pause()
    client.sendText("fill")
    client.sendText("close 1013 too slow")
    await new Promise((resolve) => setTimeout(resolve, 300))
    client.resume()
    const ending = await client.ended()
    const pieces = client.messages.length
    return [
      same("close", ending, { code: 1013, reason: "too slow" }),
      holds("everything before it", pieces >= 48, pieces),
      matches("at the service", await outcomeOf(target, name), /^closed 1013 /)
    ]
  }
)

const refusesByItsHead = audit<AdapterTarget>(
  "ADAPTER-SOCKET-008",
  "MUST",
  "D41",
  "a text of exactly the service's limit arrives; one byte more is refused with 1009 by its frame header",
  async (target) => {
    const longest = "x".repeat(defaultLimits.requestBytes)
    const client = await open(target)
    const back = await told(client, longest)
    client.send({ opcode: opcodes.text, payload: "x", claimedLength: defaultLimits.requestBytes + 1 })
    const ending = await client.ended()
    return [holds("the longest text", back === longest, back?.length), same("a longer one", ending?.code, 1009)]
  }
)

/** Open WebSockets. */
export const socketAudits: ReadonlyArray<Audit<AdapterTarget>> = [
  carriesFrames,
  keepsOrder,
  tellsOfPongs,
  tellsWhatWaits,
  closesByEither,
  endsForCertain,
  saysGoodbyeLast,
  refusesByItsHead
]
