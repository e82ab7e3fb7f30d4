/** The requests that may have run a program, and the runs that the service told of, as the auditor's rules read them. */
import { type History, isBefore, type Moment, type RestCall, type SocketHistory } from "../history/history.ts"
import { type Asked, askedOf, bodyPlace, type Place, placeOf, placesOfQuery } from "./askedRun.ts"
import { at } from "../../audits/rest/call.ts"
import { isMembers, type Members, parsed, textAt } from "../history/json.ts"

/** What came: a record by its `_tag`, or an error. */
export interface Reply extends Moment {
  readonly tag: string | undefined
  /** The record or the error. */
  readonly json: unknown
  /** Of REST. */
  readonly call?: RestCall | undefined
}

/** A request that may have run a program. */
export interface Execution {
  readonly via: "rest" | "ws"
  /** Whether only a stored result is asked for. */
  readonly isLastResult: boolean
  readonly tenant: number | undefined
  readonly key: string | undefined
  readonly step: number | undefined
  readonly asked: Asked
  readonly sent: Moment
  readonly reply: Reply | undefined
  readonly idempotencyKey: string | undefined
  /** Why no reply came over REST, as the client was told. */
  readonly lost: string | undefined
  /** Requests with the same text mean the same. */
  readonly text: string
  readonly socket: SocketHistory | undefined
}

/** A message of a socket, read. */
export interface ReadMessage extends Moment {
  readonly step: number | undefined
  readonly json: Members
  readonly text: string
}

/** The messages that were heard, or sent, and are JSON objects. */
export const messagesOf = (frames: SocketHistory["heard"]): ReadonlyArray<ReadMessage> =>
  frames.flatMap((frame) => {
    const json = parsed(frame.text)
    return isMembers(json) ? [{ ...frame, json }] : []
  })

const askedByCall = ({ body, headers, method, query }: RestCall): Asked => {
  const places: ReadonlyArray<Place> = placesOfQuery(query)
  if (method === "GET") return askedOf(places)
  const place = bodyPlace(body, headers["content-type"])
  return "kind" in place ? place : askedOf([...places, place])
}

const replyOfCall = (call: RestCall): Reply | undefined => {
  const { answer } = call
  if (answer === undefined) return undefined
  const json = parsed(answer.text)
  return { order: answer.order, atMs: answer.atMs, tag: textAt(json, "_tag"), json, call }
}

const executionOfCall = (call: RestCall): ReadonlyArray<Execution> => {
  const { body, headers, key, method, path, query, sent, step, tenant } = call
  if (!["/execute", "/execute/last-result"].includes(path) || !["GET", "POST"].includes(method)) return []
  const isLastResult = path !== "/execute"
  const facts = { tenant, key, step, sent, asked: askedByCall(call), reply: replyOfCall(call), lost: call.lost, socket: undefined }
  const idempotencyKey = method === "POST" && !isLastResult ? headers["idempotency-key"] : undefined
  return [{ ...facts, via: "rest", isLastResult, idempotencyKey, text: JSON.stringify([method, query, body]) }]
}

/** The reply to the n-th request with an id. */
export const replyTo = (heard: ReadonlyArray<ReadMessage>, id: unknown, nth: number): Reply | undefined => {
  const message = heard.filter(({ json }) => "id" in json && json["id"] === id)[nth]
  if (message === undefined) return undefined
  const json = message.json["result"] ?? message.json["error"]
  return { order: message.order, atMs: message.atMs, json, tag: textAt(json, "_tag") }
}

const executionsOfSocket = (socket: SocketHistory): ReadonlyArray<Execution> => {
  const heard = messagesOf(socket.heard)
  return messagesOf(socket.sent).flatMap(({ atMs, json, order, step, text }): ReadonlyArray<Execution> => {
    const place = placeOf(json["params"])
    if (json["method"] !== "feed.execute" || place === undefined || typeof json["id"] !== "string") return []
    const { key, tenant } = socket
    const facts = { tenant, key, step, sent: { order, atMs }, asked: askedOf([place]), reply: replyTo(heard, json["id"], 0) }
    return [{ ...facts, via: "ws", isLastResult: false, idempotencyKey: undefined, lost: undefined, text, socket }]
  })
}

/** Every request that may have run a program, or asks for what ran. */
export const executionsOf = ({ calls, sockets }: History): ReadonlyArray<Execution> => [
  ...calls.flatMap(executionOfCall),
  ...sockets.flatMap(executionsOfSocket)
]

/** A run that the service told of: a record with its id, and how it was told. */
export interface Telling {
  readonly how: "rest" | "ws" | "feed" | "report"
  /** Whether the run was made for this request; `undefined`: it may have been. */
  readonly isFresh: boolean | undefined
  readonly tenant: number | undefined
  readonly step: number | undefined
  readonly id: string
  /** `id`, `dataRequest`, `dataResult`, `signature`, and with some tellings more. */
  readonly data: Members
  /** When it was asked for. */
  readonly sent: Moment
  /** When it was told. */
  readonly told: Moment
  /** What was asked for; not with reports. */
  readonly execution: Execution | undefined
}

/** Whether a record is of a run that ended: successful or failed. */
export const isRecord = (tag: string | undefined): boolean => tag === "ExecuteResponse" || tag === "FailedExecutionResponse"

/** Whether an answer says that it is a stored one, or a repeated one. */
export const isStored = ({ call }: Reply): boolean => call?.answer?.headers["x-sibyl-cache"] === "hit"
/** Whether an answer says that it was given before, under the same idempotency key. */
export const isReplayed = ({ call }: Reply): boolean => call?.answer?.headers["idempotency-replayed"] === "true"

const freshnessOf = (execution: Execution, reply: Reply): boolean | undefined => {
  if (execution.isLastResult || isStored(reply) || isReplayed(reply)) return false
  const { asked, via } = execution
  return via === "ws" && asked.kind === "run" && asked.run.options.returnLastResult ? undefined : true
}

/** What a request was told of a run; `undefined` if nothing. */
export const tellingOf = (execution: Execution): Telling | undefined => {
  const { reply, sent, step, tenant, via } = execution
  const data = at(reply?.json, "data")
  const id = textAt(data, "id")
  if (reply === undefined || !isRecord(reply.tag) || !isMembers(data) || id === undefined) return undefined
  const told = { order: reply.order, atMs: reply.atMs }
  return { how: via, isFresh: freshnessOf(execution, reply), tenant, step, id, data, sent, told, execution }
}

/** The key under which a run's result is the last one: programs and inputs, as printed. */
export const requestKeyOf = (dataRequest: unknown): string =>
  ["execProgramId", "execInputs", "tallyProgramId", "tallyInputs"].map((name) => textAt(dataRequest, name) ?? "?").join(" ")

/** The same of what is asked for. */
export const askedKeyOf = (asked: Asked): string | undefined => {
  if (asked.kind !== "run") return undefined
  const { execInputs, execProgramId, tallyInputs, tallyProgramId } = asked.run
  return [execProgramId, hex(execInputs), tallyProgramId, hex(tallyInputs)].join(" ")
}

/** Lowercase hex. */
export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

/** Whether a crash can have lost what was under way from a moment on. */
export const wasCrashedAfter = ({ crashes }: History, sent: Moment): boolean =>
  crashes.some(({ to }) => to === undefined || isBefore(sent, to))
