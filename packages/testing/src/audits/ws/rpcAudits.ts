/** Audits of JSON-RPC over WebSocket: envelopes, errors, replies, exactly one for each request (D17). */
import { type Audit, audit } from "../audit.ts"
import { holds, same } from "../check.ts"
import { at } from "../rest/call.ts"
import { invalidJson, validJson } from "./jsonCorpus.ts"
import { freshId, isErrorReply, ownProjectOf, pause, requestText } from "./requests.ts"
import { exchange, exchangeEach, keepsTable } from "./rpcExchange.ts"
import { envelopeTable } from "./rpcTable.ts"
import { patienceOf, withClient, type WsTarget } from "./wsTarget.ts"

const keepsTheTable = audit<WsTarget>(
  "WS-RPC-001",
  "MUST",
  "interface.md#websocket-interface/D17",
  `each of ${envelopeTable.length} messages that are no request, or none that is known, has its exact reply, and no other message is sent`,
  (target) => keepsTable(target, envelopeTable)
)

const readsJson = audit<WsTarget>(
  "WS-RPC-002",
  "MUST",
  "interface.md#websocket-json-rpc-errors/D17",
  `${validJson.length} valid JSON texts are read, ${invalidJson.length} invalid ones are answered with 32700 and a null id`,
  (target) =>
    withClient(target, async (client) => [
      ...(await exchangeEach(
        client,
        validJson,
        (text) => text,
        (text, reply) => isErrorReply(`valid ${text.slice(0, 40)}`, reply, null, 32600, "InvalidRequest")
      )),
      ...(await exchangeEach(
        client,
        invalidJson,
        (text) => text,
        (text, reply) => isErrorReply(`invalid ${JSON.stringify(text.slice(0, 40))}`, reply, null, 32700, "ParseError")
      ))
    ])
)

const ids = ["", " ", "0", "null", "é€𝄞", '"\\\n\u0000', "x".repeat(1_000), "__proto__", "1e5", "t"] as const

const echoesIds = audit<WsTarget>(
  "WS-RPC-003",
  "MUST",
  "interface.md#websocket-interface/D17",
  "any text is a valid id and is returned unchanged; a repeated id is answered each time",
  (target) =>
    withClient(target, (client) =>
      exchangeEach(
        client,
        [...ids, ...ids],
        (id) => requestText(id, "feed.nothing", {}),
        (id, reply) => isErrorReply(`id ${JSON.stringify(id.slice(0, 20))}`, reply, id, 32601, "MethodNotFound")
      )
    )
)

/** The code of an overload. */
const overloaded = 36053
const mostRounds = 5

const answersAllAtOnce = audit<WsTarget>(
  "WS-RPC-004",
  "MUST",
  "interface.md#websocket-interface/D17",
  "200 concurrent executions get one reply each, with their own result",
  async (target) =>
    // The maximum number of runs in flight of a project, so this uses its own project.
    withClient(await ownProjectOf(target), async (client) => {
      let asked = Array.from({ length: 200 }, (_, number) => ({ id: freshId(), inputs: `number ${number}` }))
      const params = (execInputs: string) => ({ execProgramId: target.programs.echo, execInputs, encoding: "utf8" })
      const wrong: Array<string> = []
      let sent = 0
      // A busy service may refuse what it cannot begin in time (D15): that is asked again, a few times.
      for (let rounds = 0; rounds < mostRounds && asked.length > 0; rounds += 1) {
        for (const { id, inputs } of asked) client.sendText(requestText(id, "feed.execute", params(inputs)))
        sent += asked.length
        const replies = await Promise.all(asked.map(({ id }) => client.reply(id, 3 * patienceOf(target))))
        const isRefused = (index: number): boolean => at(replies[index]?.json, "error", "code") === overloaded
        const answered = asked.filter((_, index) => !isRefused(index))
        const results = new Map(asked.map(({ id }, index) => [id, at(replies[index]?.json, "result", "data", "result")]))
        wrong.push(...answered.flatMap(({ id, inputs }) => (results.get(id) === inputs ? [] : [inputs])))
        asked = asked.flatMap(({ inputs }, index) => (isRefused(index) ? [{ id: freshId(), inputs }] : []))
      }
      await pause(200)
      return [
        same("requests with another result or none", wrong, []),
        same("requests that were refused every time", asked.length, 0),
        same("messages, authorized included", client.messages.length, 1 + sent)
      ]
    })
)

const ignoresMembers = audit<WsTarget>("WS-RPC-005", "MUST", "D5/D46", "unknown members of the envelope are ignored", (target) =>
  withClient(target, async (client) => {
    const id = freshId()
    const params = { execProgramId: target.programs.echo, execInputs: "a" }
    const reply = await exchange(client, JSON.stringify({ extra: [1], id, jsonrpc: "2.0", params, method: "feed.execute", trace: null }))
    return [same("id", reply?.json["id"], id), holds("a result", at(reply?.json, "result", "data", "result") === "0x61", reply?.text)]
  })
)

/** JSON-RPC. */
export const rpcAudits: ReadonlyArray<Audit<WsTarget>> = [keepsTheTable, readsJson, echoesIds, answersAllAtOnce, ignoresMembers]
