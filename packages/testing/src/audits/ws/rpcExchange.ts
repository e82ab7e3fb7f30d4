/** One request of a table over a WebSocket: sending it, and judging its reply. */
import { type Check, keysAre, same } from "../check.ts"
import { at } from "../rest/call.ts"
import { dataKeys } from "../rest/wireForms.ts"
import type { Message, WireClient } from "../../wire/wireClient.ts"
import { isErrorReply, pause } from "./requests.ts"
import { caseText, type RpcCase } from "./rpcTable.ts"
import { withClient, type WsTarget } from "./wsTarget.ts"

/** Sends one text and waits for the next message. */
export const exchange = async (client: WireClient, text: string): Promise<Message | undefined> => {
  const before = client.messages.length
  client.sendText(text)
  return client.until(() => client.messages[before])
}

/** A service that leaves so many requests unanswered is asked no more: waiting for each of a long table takes many minutes. */
const mostUnanswered = 3

/** Sends a text for each row, one after the other, and judges what comes next; ends early if too many replies do not come in time. */
export const exchangeEach = async <Row>(
  client: WireClient,
  rows: ReadonlyArray<Row>,
  textOf: (row: Row) => string,
  judgeReply: (row: Row, reply: Message | undefined) => ReadonlyArray<Check>
): Promise<ReadonlyArray<Check>> => {
  const checks: Array<Check> = []
  let unanswered = 0
  for (const [asked, row] of rows.entries()) {
    const reply = await exchange(client, textOf(row))
    checks.push(...judgeReply(row, reply))
    unanswered += reply === undefined ? 1 : 0
    if (unanswered < mostUnanswered) continue
    return [...checks, same("requests asked, of which too many had no reply in time", asked + 1, rows.length)]
  }
  return checks
}

const judge = ({ error, name, result }: RpcCase, reply: Message | undefined): ReadonlyArray<Check> => {
  if (error !== undefined) {
    const { code, id, parameter, tag } = error
    const named = parameter === undefined ? [] : [same(`${name}: names`, at(reply?.json, "error", "details", "parameter"), parameter)]
    return [...isErrorReply(name, reply, id, code, tag), ...named]
  }
  return [
    keysAre(`${name}: members`, reply?.json, ["jsonrpc", "id", "result"]),
    same(`${name}: jsonrpc and id`, [reply?.json["jsonrpc"], reply?.json["id"]], ["2.0", "t"]),
    same(`${name}: _tag`, at(reply?.json, "result", "_tag"), "ExecuteResponse"),
    keysAre(`${name}: data`, at(reply?.json, "result", "data"), dataKeys),
    same(`${name}: result`, at(reply?.json, "result", "data", "result"), result)
  ]
}

/** Sends each request of a table on one connection and checks its exact reply, and that nothing else is sent. */
export const keepsTable = (target: WsTarget, table: ReadonlyArray<RpcCase>): Promise<ReadonlyArray<Check>> =>
  withClient(target, async (client) => {
    const checks = await exchangeEach(client, table, (row) => caseText(row, target.programs), judge)
    await pause(100)
    return [...checks, same("messages, authorized included", client.messages.length, 1 + table.length)]
  })
