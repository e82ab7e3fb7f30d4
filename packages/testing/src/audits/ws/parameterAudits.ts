/** Audits of the parameters of feed.execute, feed.start and feed.stop, one for each that a client can get right or wrong (D4, D5, D17, D41). */
import { type Audit, audit } from "../audit.ts"
import { type Check, holds } from "../check.ts"
import { at } from "../rest/call.ts"
import { ask } from "./requests.ts"
import { keepsTable } from "./rpcExchange.ts"
import { parameterTables, type RpcCase } from "./rpcTable.ts"
import { withClient, type WsTarget } from "./wsTarget.ts"

const ofTable = (id: string, clause: string, title: string, table: ReadonlyArray<RpcCase>): Audit<WsTarget> =>
  audit<WsTarget>(id, "MUST", clause, `${title} (${table.length} requests)`, (target) => keepsTable(target, table))

/** What feed.start accepts is started, and stopped again. */
const areStarted = (target: WsTarget, feeds: ReadonlyArray<Readonly<Record<string, unknown>>>): Promise<ReadonlyArray<Check>> =>
  withClient(target, async (client) => {
    const checks: Array<Check> = []
    for (const params of feeds) {
      const reply = await ask(client, "feed.start", { execute: { execProgramId: target.programs.echo }, ...params })
      const feedId = at(reply?.json, "result", "feedId")
      checks.push(holds(`${JSON.stringify(params)} starts`, typeof feedId === "string", reply?.text))
      await ask(client, "feed.stop", { feedId })
    }
    return checks
  })

const ofStart = (
  id: string,
  clause: string,
  title: string,
  table: ReadonlyArray<RpcCase>,
  accepted: ReadonlyArray<Readonly<Record<string, unknown>>>
): Audit<WsTarget> =>
  audit<WsTarget>(id, "MUST", clause, title, async (target) => [
    ...(await keepsTable(target, table)),
    ...(await areStarted(target, accepted))
  ])

const ofExecute = "interface.md#feed-execute"
const ofFeeds = "interface.md#feed-start"

/** Parameters. */
export const wsParameterAudits: ReadonlyArray<Audit<WsTarget>> = [
  ofTable(
    "WS-PARAM-001",
    `${ofExecute}/D7`,
    "execProgramId is required, an id in any form; what is not deployed is 36004",
    parameterTables.programs
  ),
  ofTable(
    "WS-PARAM-002",
    `${ofExecute}/D5`,
    "execInputs are a text, an object or a list, empty if absent or null, at most 256 KiB",
    parameterTables.inputs
  ),
  ofTable(
    "WS-PARAM-003",
    `${ofExecute}/D7`,
    "tallyProgramId is an id; without it the program itself runs the tally",
    parameterTables.tallyPrograms
  ),
  ofTable("WS-PARAM-004", `${ofExecute}/D5`, "tallyInputs are like execInputs, with a limit of their own", parameterTables.tallyInputs),
  ofTable(
    "WS-PARAM-005",
    `${ofExecute}/D5`,
    "inputEncoding is auto, hex, utf8 or base64, for the inputs of both phases",
    parameterTables.inputEncodings
  ),
  ofTable(
    "WS-PARAM-006",
    `${ofExecute}/D6`,
    "returnLastResult, its age and injectLastResult take their values and no others",
    parameterTables.storedResults
  ),
  ofTable(
    "WS-PARAM-007",
    `${ofExecute}/D4`,
    "flags are booleans, or their words in any letter case, and nothing else",
    parameterTables.flags
  ),
  ofTable("WS-PARAM-008", `${ofExecute}/D3`, "encoding is hex, base64, utf8 or json", parameterTables.encodings),
  ofTable(
    "WS-PARAM-009",
    "D5",
    "unknown names are ignored, almost correct ones refused, and so are two values of one",
    parameterTables.names
  ),
  ofStart(
    "WS-PARAM-010",
    `${ofFeeds}/D17`,
    "execute of feed.start is an object like that of feed.execute; what is wrong in it is named by its path",
    parameterTables.feedExecutions,
    [{ mode: "FIXED", periodicityMs: 1_000, somethingElse: 1 }]
  ),
  ofStart(
    "WS-PARAM-011",
    `${ofFeeds}/D41`,
    "periodicityMs is a whole number from 10 to 86,400,000, both included",
    parameterTables.periods,
    [
      { mode: "FIXED", periodicityMs: 10 },
      { mode: "FIXED", periodicityMs: 86_400_000 }
    ]
  ),
  ofStart("WS-PARAM-012", ofFeeds, "mode is FIXED, SEQUENTIAL or PARALLEL, in capitals", parameterTables.modes, [
    { mode: "FIXED", periodicityMs: 1_000 },
    { mode: "SEQUENTIAL", periodicityMs: 1_000 },
    { mode: "PARALLEL", periodicityMs: 1_000 }
  ]),
  ofTable(
    "WS-PARAM-013",
    "interface.md#feed-stop/D17",
    "feedId of feed.stop is a text; one that is unknown is 32001",
    parameterTables.stops
  )
]
