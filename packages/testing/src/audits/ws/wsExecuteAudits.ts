/** Audits of feed.execute: the execute response and its failures as JSON-RPC (D1, D12, D16, D17, D27). */
import { type Audit, audit } from "../audit.ts"
import { type Check, holds, keysAre, same } from "../check.ts"
import { at, executePost, freshInputs, send } from "../rest/call.ts"
import { dataKeys, phaseKeys } from "../rest/wireForms.ts"
import { derivedResultId, isVerifiable, signatureHolds } from "../rest/verification.ts"
import { ask, isErrorReply } from "./requests.ts"
import type { Message, WireClient } from "../../wire/wireClient.ts"
import { withClient, type WsTarget } from "./wsTarget.ts"

type Params = Readonly<Record<string, unknown>>

const execute = (
  client: WireClient,
  target: WsTarget,
  program: keyof WsTarget["programs"],
  params: Params = {}
): Promise<Message | undefined> => ask(client, "feed.execute", { execProgramId: target.programs[program], ...params })

const resultOf = (reply: Message | undefined): unknown => reply?.json["result"]
const dataOf = (reply: Message | undefined): unknown => at(reply?.json, "result", "data")

const answersAsRest = audit<WsTarget>(
  "WS-EXEC-001",
  "MUST",
  "interface.md#websocket-interface/D1/D22",
  "the result is the execute response of REST: the same members in the same order, the same drId, a valid signature",
  (target) =>
    withClient(target, async (client) => {
      const body = { execInputs: "as REST", includeDebugInfo: "true", includeSummary: "true", encoding: "utf8" }
      const reply = await execute(client, target, "printing", body)
      const { json: rest } = await executePost(target, "printing", body)
      const { json: info } = await send(target, { path: "/info", key: null })
      const result = resultOf(reply)
      const shape = (value: unknown): unknown =>
        typeof value === "object" && value !== null
          ? Array.isArray(value)
            ? value.map(shape)
            : Object.entries(value).map(([name, member]) => [name, shape(member)])
          : typeof value
      const digest = derivedResultId(at(result, "data", "dataResult"))
      return [
        same("members at any depth", shape(result), shape(rest)),
        keysAre("data", at(result, "data"), [...dataKeys, "execute", "tally", "summary"]),
        same("dataRequest", at(result, "data", "dataRequest"), at(rest, "data", "dataRequest")),
        same("drId", at(result, "data", "dataResult", "drId"), at(rest, "data", "dataResult", "drId")),
        holds("signature", signatureHolds(String(at(result, "data", "signature")), digest, String(at(info, "publicKey"))))
      ]
    })
)

const showsLogs = audit<WsTarget>(
  "WS-EXEC-002",
  "MUST",
  "interface.md#websocket-interface/D1",
  "with includeDebugInfo the phases are in data and beside it; without it there are none",
  (target) =>
    withClient(target, async (client) => {
      const debug = await execute(client, target, "printing", { includeDebugInfo: "true" })
      const plain = await execute(client, target, "printing")
      return [
        keysAre("execute", at(dataOf(debug), "execute"), phaseKeys),
        same("stdout of execute", at(dataOf(debug), "execute", "stdout"), "exec out\n"),
        same("stderr of tally", at(dataOf(debug), "tally", "stderr"), "tally err\n"),
        same("beside data", at(resultOf(debug), "tally"), at(dataOf(debug), "tally")),
        keysAre("without", resultOf(plain), ["_tag", "data"]),
        keysAre("data without", dataOf(plain), dataKeys)
      ]
    })
)

const sumsUp = audit<WsTarget>(
  "WS-EXEC-003",
  "MUST",
  "interface.md#websocket-interface/D12",
  "with includeSummary data has a summary of credits and gas",
  (target) =>
    withClient(target, async (client) => {
      const reply = await execute(client, target, "echo", { includeSummary: true })
      return [
        keysAre("summary", at(dataOf(reply), "summary"), [
          "creditsUsed",
          "creditsRemaining",
          "cost",
          "gasUsed",
          "dataProxies",
          "durationMs"
        ])
      ]
    })
)

/** Checks an execution error exactly: its members in order, and data as in the failed execution of REST. */
const isFailed = (what: string, reply: Message | undefined, exitCode: number, more: ReadonlyArray<string>): ReadonlyArray<Check> => {
  const error = reply?.json["error"]
  return [
    keysAre(`${what}: members`, reply?.json, ["jsonrpc", "id", "error"]),
    keysAre(`${what}: members of error`, error, ["_tag", "code", "error", "message", "data"]),
    same(`${what}: _tag and code`, [at(error, "_tag"), at(error, "code")], ["FailedExecutionResponse", 36001]),
    holds(`${what}: one text under both names`, at(error, "error") === at(error, "message") && at(error, "error") !== ""),
    keysAre(`${what}: data`, at(error, "data"), [...dataKeys, ...more]),
    same(`${what}: exitCode`, at(error, "data", "dataResult", "exitCode"), exitCode)
  ]
}

const answersFailures = audit<WsTarget>(
  "WS-EXEC-004",
  "MUST",
  "interface.md#websocket-json-rpc-errors/D16",
  "a failed execution is an error with _tag, data, code 36001 and a text; its logs only on request",
  (target) =>
    withClient(target, async (client) => {
      const plain = await execute(client, target, "failing")
      const debug = await execute(client, target, "failing", { includeDebugInfo: "true" })
      const inTally = await execute(client, target, "failingInTally", { includeDebugInfo: "true" })
      const data = (reply: Message | undefined): unknown => at(reply?.json, "error", "data")
      const { json: info } = await send(target, { path: "/info", key: null })
      return [
        holds("drId and signature verify", isVerifiable(data(plain), at(info, "publicKey")), data(plain)),
        ...isFailed("plain", plain, 3, []),
        ...isFailed("with logs", debug, 3, ["execute"]),
        ...isFailed("in the tally", inTally, 4, ["execute", "tally"]),
        same("result", at(data(plain), "result"), "0x68616c6620646f6e65"),
        same("stderr", at(data(debug), "execute", "stderr"), "boom"),
        same("stderr of the tally", at(data(inTally), "tally", "stderr"), "boom")
      ]
    })
)

const refusesByProjectLimits = audit<WsTarget>(
  "WS-EXEC-005",
  "MUST",
  "D15/D17",
  "no credits: 36003; the usage limit: 36029; a program outside the allow-list: 32602, before existence",
  async (target) => {
    const { keyWithoutCredits, limitedKey, restrictedKey } = target
    if (keyWithoutCredits === undefined || limitedKey === undefined || restrictedKey === undefined)
      return { skip: "needs the keys of the kit" }
    const replyFor = (key: string, params: Params) => withClient(target, (client) => ask(client, "feed.execute", params), { key })
    const broke = await replyFor(keyWithoutCredits, { execProgramId: target.programs.echo })
    const limited = await replyFor(limitedKey, { execProgramId: target.programs.echo })
    const restricted = await replyFor(restrictedKey, { execProgramId: target.programs.failing })
    const unknown = await replyFor(restrictedKey, { execProgramId: "0".repeat(64) })
    const idOf = (reply: Message | undefined): string => String(reply?.json["id"])
    return [
      ...isErrorReply("no credits", broke, idOf(broke), 36003, "InsufficientCredits"),
      ...isErrorReply("usage limit", limited, idOf(limited), 36029, "CreditLimitExceeded"),
      ...isErrorReply("another program", restricted, idOf(restricted), 32602, "ProgramNotAllowed"),
      ...isErrorReply("an unknown program", unknown, idOf(unknown), 32602, "ProgramNotAllowed")
    ]
  }
)

const remembers = audit<WsTarget>(
  "WS-EXEC-006",
  "MUST",
  "interface.md#websocket-interface/D27",
  "returnLastResult returns the stored result with its id and without a run; one that is too old is not returned",
  (target) =>
    withClient(target, async (client) => {
      const execInputs = freshInputs()
      const first = await execute(client, target, "echo", { execInputs, returnLastResult: "true" })
      const again = await execute(client, target, "echo", {
        execInputs,
        returnLastResult: "true",
        returnLastResultMaxAge: "3600",
        includeSummary: "true"
      })
      const old = await execute(client, target, "echo", { execInputs, returnLastResult: "true", returnLastResultMaxAge: "0" })
      const idOf = (reply: Message | undefined): unknown => at(dataOf(reply), "id")
      return [
        holds("the first one runs", typeof idOf(first) === "string", first?.text),
        same("the stored id", idOf(again), idOf(first)),
        same("no credits", at(dataOf(again), "summary", "creditsUsed"), "0"),
        holds("too old: another id", typeof idOf(old) === "string" && idOf(old) !== idOf(first), idOf(old))
      ]
    })
)

const injects = audit<WsTarget>(
  "WS-EXEC-007",
  "MUST",
  "interface.md#websocket-interface/D26",
  "injectLastResult gives the last result to the program, and does not change the drId",
  (target) =>
    withClient(target, async (client) => {
      // The tally returns what the execution phase revealed.
      const params = { execInputs: freshInputs(), encoding: "utf8", tallyProgramId: target.programs.echo }
      const none = await execute(client, target, "environment", { ...params, injectLastResult: "none" })
      const last = await execute(client, target, "environment", { ...params, injectLastResult: "last" })
      const text = String(at(dataOf(last), "result"))
      return [
        holds("nothing to inject", !String(at(dataOf(none), "result")).includes("LAST_RESULT")),
        holds("the last result", text.includes("\0LAST_RESULT=") && text.includes("\0LAST_RESULT_EXIT_CODE=0\0"), text),
        same("drId", at(dataOf(last), "dataResult", "drId"), at(dataOf(none), "dataResult", "drId"))
      ]
    })
)

/** feed.execute. */
export const wsExecuteAudits: ReadonlyArray<Audit<WsTarget>> = [
  answersAsRest,
  showsLogs,
  sumsUp,
  answersFailures,
  refusesByProjectLimits,
  remembers,
  injects
]
