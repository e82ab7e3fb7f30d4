/** Audits of frames: faults get their close code and nothing else, unusual but valid frames are accepted (D18, RFC 6455). */
import { type Audit, audit } from "../audit.ts"
import { type Check, holds, same } from "../check.ts"
import { at } from "../rest/call.ts"
import { faultBytes, frameFaults, frameOddities } from "./frameFaults.ts"
import { encodeFrame, opcodes } from "../../wire/frames.ts"
import { ask, freshId, requestText } from "./requests.ts"
import { openClient, withClient, type WsTarget } from "./wsTarget.ts"

const closesFaults = audit<WsTarget>(
  "WS-FRAME-001",
  "MUST",
  "RFC 6455/D18",
  `each of ${frameFaults.length} frame faults closes its connection with the right code and no reply, and affects no other`,
  async (target) => {
    const witness = await openClient(target)
    const checks: Array<Check> = []
    for (const fault of frameFaults) {
      const client = await openClient(target)
      client.write(faultBytes(fault))
      const ending = await client.ended()
      checks.push(
        holds(`${fault.name}: closed with ${fault.codes.join(" or ")}`, fault.codes.includes(ending?.code ?? 0), ending),
        same(`${fault.name}: messages`, client.messages.length, 1)
      )
      client.reset()
    }
    const reply = await ask(witness, "feed.execute", { execProgramId: target.programs.echo, execInputs: "a" })
    witness.reset()
    return [...checks, same("another connection continues", at(reply?.json, "result", "data", "result"), "0x61")]
  }
)

const understandsOddities = audit<WsTarget>(
  "WS-FRAME-002",
  "MUST",
  "RFC 6455, section 5.4/D18",
  "a text is accepted however it is cut into some hundred fragments, with control frames in between, and up to exactly the largest size",
  (target) =>
    withClient(target, async (client) => {
      const checks: Array<Check> = []
      for (const { frames, name } of frameOddities) {
        const id = freshId()
        const params = { execProgramId: target.programs.echo, execInputs: "½ € 𝄞", encoding: "utf8" }
        client.send(...frames(requestText(id, "feed.execute", params)))
        const reply = await client.reply(id)
        checks.push(same(name, at(reply?.json, "result", "data", "result"), "½ € 𝄞"))
      }
      return checks
    })
)

const understandsTrickles = audit<WsTarget>(
  "WS-FRAME-003",
  "MUST",
  "RFC 6455, section 5",
  "a frame that arrives byte by byte is accepted",
  (target) =>
    withClient(target, async (client) => {
      const id = freshId()
      await client.trickle(encodeFrame({ opcode: opcodes.text, payload: requestText(id, "feed.nothing", {}) }))
      const reply = await client.reply(id)
      return [same("code", at(reply?.json, "error", "code"), 32601)]
    })
)

const sendsProperly = audit<WsTarget>(
  "WS-FRAME-004",
  "MUST",
  "RFC 6455, section 5.1/interface.md#websocket-interface",
  "the service sends unfragmented text frames, without a mask or reserved bits, each with one JSON object",
  (target) =>
    withClient(target, async (client) => {
      for (let round = 0; round < 20; round += 1) {
        await ask(client, "feed.execute", { execProgramId: target.programs.echo, execInputs: "x".repeat(1 + round * 1_000) })
      }
      const frames = client.frames.filter(({ opcode }) => opcode < opcodes.close)
      const improper = frames.filter(({ fin, masked, opcode, reserved }) => !fin || masked || opcode !== opcodes.text || reserved !== 0)
      const texts = frames.map(({ payload }) => payload.toString())
      return [
        same("improper frames", improper.length, 0),
        same("compact JSON objects", texts.filter((text) => JSON.stringify(JSON.parse(text)) !== text || !text.startsWith("{")).length, 0),
        same("frames", frames.length, 21)
      ]
    })
)

/** Frames. */
export const frameAudits: ReadonlyArray<Audit<WsTarget>> = [closesFaults, understandsOddities, understandsTrickles, sendsProperly]
