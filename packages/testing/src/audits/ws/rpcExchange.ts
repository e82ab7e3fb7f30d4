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
    const checks: Array<Check> = []
    for (const row of table) checks.push(...judge(row, await exchange(client, caseText(row, target.programs))))
    await pause(100)
    return [...checks, same("messages, authorized included", client.messages.length, 1 + table.length)]
  })
