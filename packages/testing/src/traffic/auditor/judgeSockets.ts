/** Judges connections: the upgrade, authorized, one reply to each request, codes of errors, and how they end. */
import { at } from "../../audits/rest/call.ts"
import { FeedResultNotification } from "@sibyl/core"
import { Either, Schema } from "effect"
import { isBefore, type SocketHistory } from "../history/history.ts"
import type { Evidence } from "./evidence.ts"
import { messagesOf, type ReadMessage, wasCrashedAfter } from "./executions.ts"
import { isEarly } from "./judgeOutcomes.ts"
import { keyStateIn } from "./keyState.ts"
import { recordBreach } from "./judgeCalls.ts"
import { countAt, isMembers, parsed, shown, textAt } from "../history/json.ts"
import { knownTags } from "./knownTags.ts"
import { type TrafficViolation, unless } from "./violation.ts"

const judgeUpgrade = ({ history }: Evidence, socket: SocketHistory): ReadonlyArray<TrafficViolation> => {
  const { asked, key, opened, refused, step, ticket } = socket
  // Judged with tickets.
  if (ticket !== undefined) return []
  const answered = opened ?? refused
  if (answered === undefined) return unless(wasCrashedAfter(history, asked), "one-answer", step, () => "the upgrade was not answered")
  const state = keyStateIn(history, key, asked, answered)
  if (refused === undefined) return unless(state !== "invalid", "keys", step, () => "a connection was opened, the key does not work")
  const allowed = [...(state === "invalid" ? [] : [429, 503]), ...(state === "valid" ? [] : [401])]
  return unless(
    allowed.includes(refused.status),
    "outcome",
    step,
    () => `the upgrade was answered with ${refused.status}; allowed: 101, ${allowed.join(", ")}`
  )
}

const projectIdOf = ({ history }: Evidence, tenant: number | undefined): string | undefined => {
  const call = history.calls.find((call) => call.path === "/project" && call.tenant === tenant && call.answer?.status === 200)
  return textAt(parsed(call?.answer?.text ?? ""), "projectId")
}

const judgeAuthorized = (evidence: Evidence, { ended, heard, opened, step, tenant }: SocketHistory): ReadonlyArray<TrafficViolation> => {
  if (opened === undefined) return []
  const messages = messagesOf(heard)
  const [first] = messages
  const isCut = first === undefined && ended !== undefined
  const count = messages.filter(({ json }) => json["method"] === "authorized").length
  const projectId = projectIdOf(evidence, tenant)
  return [
    ...unless(
      isCut || (first?.json["method"] === "authorized" && count === 1),
      "socket",
      step,
      () => `authorized came ${count} times, first came ${shown(first?.text)}`
    ),
    ...unless(
      isCut || projectId === undefined || at(first?.json, "params", "projectId") === projectId,
      "tenants",
      step,
      () => `authorized is for ${shown(at(first?.json, "params", "projectId"))}, the project is ${projectId}`
    )
  ]
}

/** The id under which a frame has to be answered: null if it is no request. */
const replyIdOf = (text: string): string | null => {
  const json = parsed(text)
  const isRequest = isMembers(json) && json["jsonrpc"] === "2.0" && typeof json["id"] === "string" && typeof json["method"] === "string"
  return isRequest ? String(json["id"]) : null
}

const countsOf = (ids: ReadonlyArray<unknown>): ReadonlyMap<unknown, number> => {
  const counts = new Map<unknown, number>()
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}

const judgeReplies = ({ history }: Evidence, { ended, heard, opened, sent, step }: SocketHistory): ReadonlyArray<TrafficViolation> => {
  if (opened === undefined) return []
  const replies = messagesOf(heard).filter(({ json }) => "id" in json)
  const [asked, answered] = [countsOf(sent.map(({ text }) => replyIdOf(text))), countsOf(replies.map(({ json }) => json["id"]))]
  const stepOf = (id: unknown): number | undefined => sent.find(({ text }) => replyIdOf(text) === id)?.step ?? step
  const mayBeSilent = ended !== undefined && isEarly(history, ended)
  const tooMany = [...answered].find(([id, count]) => count > (asked.get(id) ?? 0))
  const tooFew = mayBeSilent ? undefined : [...asked].find(([id, count]) => count > (answered.get(id) ?? 0))
  const early = replies.find((reply) => !sent.some((frame) => replyIdOf(frame.text) === reply.json["id"] && isBefore(frame, reply)))
  return [
    ...unless(
      tooMany === undefined,
      "one-answer",
      stepOf(tooMany?.[0]),
      () => `${tooMany?.[1]} replies with the id ${shown(tooMany?.[0])}, ${asked.get(tooMany?.[0]) ?? 0} requests`
    ),
    ...unless(
      tooFew === undefined,
      "one-answer",
      stepOf(tooFew?.[0]),
      () => `${answered.get(tooFew?.[0]) ?? 0} replies with the id ${shown(tooFew?.[0])}, ${tooFew?.[1]} requests`
    ),
    ...unless(
      tooMany !== undefined || early === undefined,
      "one-answer",
      early?.step,
      () => `a reply before its request: ${shown(early?.text)}`
    )
  ]
}

const codesOfNull: ReadonlySet<bigint> = new Set([32_700n, 32_600n])

const errorFault = (error: unknown, id: unknown): string | undefined => {
  const [tag, code, text] = [textAt(error, "_tag"), countAt(error, "code"), textAt(error, "error")]
  if (code === undefined || text === undefined || text === "") return "an error without code and text"
  if (id === null) return codesOfNull.has(code) ? undefined : `code ${code} without an id`
  const known = tag === undefined ? undefined : knownTags[tag]
  if (known === undefined) return `an error with ${shown(tag)}, code ${code}`
  return code === BigInt(known.code ?? -1) ? undefined : `${tag} with code ${code}`
}

const decodeResult = Schema.decodeUnknownEither(FeedResultNotification)

const messageFault = ({ json }: ReadMessage): string | undefined => {
  if (json["jsonrpc"] !== "2.0") return "it is not JSON-RPC 2.0"
  if (json["method"] === "feed.result") return Either.isRight(decodeResult(json)) ? undefined : "it is no feed.result of the contract"
  if (json["method"] === "authorized") return undefined
  if (!("id" in json)) return "it is neither a reply nor a known notification"
  if ("result" in json === "error" in json) return "it needs one of result and error"
  if ("error" in json) return errorFault(json["error"], json["id"])
  const result = json["result"]
  return textAt(result, "feedId") === undefined ? recordBreach(textAt(result, "_tag"), result) : undefined
}

/** Stops of feeds, and methods that do not exist. */
const judgeOtherRequests = ({ heard, sent }: SocketHistory): ReadonlyArray<TrafficViolation> =>
  messagesOf(sent).flatMap(({ json, order, step }) => {
    const { id, method, params } = json
    if (typeof id !== "string" || json["jsonrpc"] !== "2.0" || !["feed.stop", "feed.pause"].includes(String(method))) return []
    const reply = messagesOf(heard).find((message) => message.json["id"] === id)?.json
    if (reply === undefined) return []
    const tag = textAt(reply["error"], "_tag") ?? (textAt(reply["result"], "feedId") === undefined ? "nothing" : "feedId")
    const feedId = at(params, "feedId")
    const wasStarted = messagesOf(heard).some(
      (message) => message.order < Number.POSITIVE_INFINITY && at(message.json, "result", "feedId") === feedId && message.json["id"] !== id
    )
    const allowed =
      method === "feed.pause"
        ? ["MethodNotFound"]
        : typeof feedId !== "string"
          ? ["InvalidParameter"]
          : wasStarted
            ? ["feedId", "FeedNotFound"]
            : ["FeedNotFound"]
    void order
    return unless(
      allowed.includes(tag),
      "outcome",
      step,
      () => `${String(method)} was answered with ${tag}; allowed: ${allowed.join(", ")}`
    )
  })

/** A key that ends closes its connections within a second; `slackMs` more where the machine may be busy. */
const judgeEnd = ({ history }: Evidence, { ended, key, opened, step }: SocketHistory): ReadonlyArray<TrafficViolation> => {
  if (opened === undefined) return []
  const revoked = history.keys.find(({ text }) => text === key)?.revoked
  const slackMs = history.toleranceMs === undefined ? 10_000 : 50
  const isLate = revoked !== undefined && (ended?.atMs ?? Number.POSITIVE_INFINITY) > revoked.to.atMs + 1_000 + slackMs
  if (ended?.by !== "service")
    return unless(!isLate, "keys", step, () => "the connection was open more than a second after its key was revoked")
  const mayEnd = revoked !== undefined && isBefore(revoked.from, ended) && ended.code === 1008
  return [
    ...unless(mayEnd || wasCrashedAfter(history, ended), "socket", step, () => `the service closed the connection with ${ended.code}`),
    ...unless(!isLate, "keys", step, () => "the connection was closed later than a second after its key was revoked")
  ]
}

const judgeMessages = ({ heard, step }: SocketHistory): ReadonlyArray<TrafficViolation> => {
  const notJson = heard.find(({ text }) => !isMembers(parsed(text)))
  return [
    ...unless(notJson === undefined, "socket", step, () => `a message that is no JSON object: ${shown(notJson?.text)}`),
    ...messagesOf(heard).flatMap((message) => {
      const fault = messageFault(message)
      return unless(fault === undefined, "shape", step, () => `${fault}: ${shown(message.text)}`)
    })
  ]
}

/** Every connection. */
export const judgeSockets = (evidence: Evidence): ReadonlyArray<TrafficViolation> =>
  evidence.history.sockets.flatMap((socket) => [
    ...judgeUpgrade(evidence, socket),
    ...judgeAuthorized(evidence, socket),
    ...judgeReplies(evidence, socket),
    ...judgeMessages(socket),
    ...judgeOtherRequests(socket),
    ...judgeEnd(evidence, socket)
  ])
