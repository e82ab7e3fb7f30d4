/** Judges each REST answer by itself: a documented status, the fields of its record, the form of an error, its headers. */
import {
  DataProxyRecord,
  ExecuteResponse,
  FailedExecutionResponse,
  HealthRecord,
  InfoRecord,
  ProjectRecord,
  QuoteResponse,
  ReportsRecord,
  VerifyRecord
} from "@sibyl/core"
import { Either, ParseResult, Schema } from "effect"
import type { RestAnswer, RestCall } from "../history/history.ts"
import type { Evidence } from "./evidence.ts"
import { wasCrashedAfter } from "./executions.ts"
import { type Members, isMembers, parsed, shown, textAt } from "../history/json.ts"
import { keyStateIn } from "./keyState.ts"
import { busyTags, knownTags } from "./knownTags.ts"
import { isTicketCall } from "./tickets.ts"
import { type TrafficViolation, unless } from "./violation.ts"

/** What is wrong with a value; `undefined` if nothing is. More fields than the schema's are allowed. */
type Breach = (value: unknown) => string | undefined

const breachOf = <A, I>(schema: Schema.Schema<A, I>): Breach => {
  const decode = Schema.decodeUnknownEither(schema)
  return (value) =>
    Either.match(decode(value), { onLeft: (error) => ParseResult.TreeFormatter.formatErrorSync(error), onRight: () => undefined })
}

const records: ReadonlyArray<readonly [path: RegExp, breach: Breach]> = [
  [/^\/data-request-reports$/, breachOf(ReportsRecord)],
  [/^\/project$/, breachOf(ProjectRecord)],
  [/^\/verify$/, breachOf(VerifyRecord)],
  [/^\/info$/, breachOf(InfoRecord)],
  [/^\/health$/, breachOf(HealthRecord)],
  [/^\/data-proxy\//, breachOf(DataProxyRecord)]
]

const executed = {
  ExecuteResponse: breachOf(ExecuteResponse),
  FailedExecutionResponse: breachOf(FailedExecutionResponse),
  QuoteResponse: breachOf(QuoteResponse)
}

/** The breach of the record that an execution is answered with. */
export const recordBreach = (tag: string | undefined, json: unknown): string | undefined => {
  const breach = Object.entries(executed).find(([name]) => name === tag)?.[1]
  return breach === undefined ? `its _tag is ${shown(tag)}` : breach(json)
}

const isExecute = ({ path }: RestCall): boolean => path === "/execute" || path === "/execute/last-result"

/** Whether these answers need a key. */
const needsNoKey = ({ path }: RestCall): boolean => path === "/info" || path === "/health" || path.startsWith("/data-proxy/")

/** The tags that an error of a path may have; those of executions are judged with what they ask for. */
const errorsOf = (evidence: Evidence, call: RestCall, answer: RestAnswer): ReadonlyArray<string> => {
  if (isWrongMethod(call)) return ["MethodNotAllowed", "Unauthorized"]
  const state = needsNoKey(call) ? "valid" : keyStateIn(evidence.history, call.key, call.sent, answer)
  const parameters = call.path === "/data-request-reports" || call.path.startsWith("/data-proxy/") ? ["InvalidParameter"] : []
  if (state === "invalid") return ["Unauthorized"]
  return [...parameters, ...busyTags, ...(state === "either" ? ["Unauthorized"] : [])]
}

const isWrongMethod = (call: RestCall): boolean =>
  call.method !== "GET" && !(call.method === "POST" && isExecute(call)) && !isAddition(call)

/** What not every service has is judged with its own rules; here only the form of an error. */
const isAddition = (call: RestCall): boolean => isTicketCall(call)

/** Parameters of reports and proxies that break their rules for certain. */
const hasToBeRefused = ({ path, query }: RestCall): boolean => {
  if (path.startsWith("/data-proxy/")) return !/^(?:0x)?(?:0[23][0-9a-f]{64}|04[0-9a-f]{128})$/i.test(path.slice("/data-proxy/".length))
  if (path !== "/data-request-reports") return false
  const params = new Map(query)
  const amount = params.get("amount")
  const isAmountWrong = amount !== undefined && !/^(?:[1-9][0-9]?|100)$/.test(amount)
  return (
    isAmountWrong ||
    !/^(?:0x)?[0-9a-f]{64}$/i.test(params.get("drId") ?? "") ||
    ["yesterday", "-"].some((date) => query.some(([, value]) => value === date))
  )
}

const judgeError = (call: RestCall, answer: RestAnswer, json: Members): ReadonlyArray<TrafficViolation> => {
  const { step } = call
  const [tag, error, requestId] = ["_tag", "error", "requestId"].map((name) => textAt(json, name))
  const { headers, status } = answer
  const wrong = (holds: boolean, message: () => string): ReadonlyArray<TrafficViolation> => unless(holds, "shape", step, message)
  const needs = (status: number, header: string): ReadonlyArray<TrafficViolation> =>
    wrong(answer.status !== status || headers[header] !== undefined, () => `${status} without ${header}`)
  return [
    ...wrong(knownTags[tag ?? ""]?.status === status, () => `${tag} with status ${status}`),
    ...wrong(error !== undefined && error !== "" && error === json["message"], () => "error and message are not one text"),
    ...wrong(
      requestId !== undefined && requestId === headers["x-request-id"],
      () => `requestId ${requestId}, x-request-id ${headers["x-request-id"]}`
    ),
    ...needs(401, "www-authenticate"),
    ...needs(405, "allow"),
    ...needs(429, "retry-after"),
    ...needs(503, "retry-after")
  ]
}

/** Answers that are no executions. */
const judgeOther = (evidence: Evidence, call: RestCall, answer: RestAnswer, json: Members): ReadonlyArray<TrafficViolation> => {
  const { step } = call
  if (answer.status === 200) {
    const breach = records.find(([path]) => path.test(call.path))?.[1](json)
    const state = keyStateIn(evidence.history, call.key, call.sent, answer)
    return [
      ...unless(breach === undefined, "shape", step, () => `${call.path}: ${breach}`),
      ...unless(needsNoKey(call) || state !== "invalid", "keys", step, () => `${call.path} was answered, the key does not work`),
      ...unless(
        !isWrongMethod(call) && !hasToBeRefused(call),
        "outcome",
        step,
        () => `${call.method} ${call.path} was answered, it breaks a rule`
      )
    ]
  }
  const tag = textAt(json, "_tag") ?? "nothing"
  const allowed = errorsOf(evidence, call, answer)
  return unless(
    allowed.includes(tag),
    "outcome",
    step,
    () => `${call.path} was answered with ${answer.status} ${tag}; allowed: 200, ${allowed.join(", ")}`
  )
}

const judgeCall = (evidence: Evidence, call: RestCall): ReadonlyArray<TrafficViolation> => {
  const { answer, step } = call
  const isJudgedElsewhere = isExecute(call) && !isWrongMethod(call)
  if (answer === undefined)
    return isJudgedElsewhere
      ? []
      : unless(
          wasCrashedAfter(evidence.history, call.sent),
          "one-answer",
          step,
          () => `${call.path} was not answered: ${call.lost ?? "nothing came"}`
        )
  const json = parsed(answer.text)
  if (!isMembers(json)) return unless(false, "shape", step, () => `${answer.status} ${shown(answer.text)}`)
  const isError = ![200, 201, 599].includes(answer.status)
  if (isError)
    return [...judgeError(call, answer, json), ...(isJudgedElsewhere || isAddition(call) ? [] : judgeOther(evidence, call, answer, json))]
  const hasId = unless(answer.headers["x-request-id"] !== undefined, "shape", step, () => `${call.path} without x-request-id`)
  if (isAddition(call)) return hasId
  if (!isJudgedElsewhere) return [...hasId, ...judgeOther(evidence, call, answer, json)]
  const breach = recordBreach(textAt(json, "_tag"), json)
  return [...hasId, ...unless(breach === undefined, "shape", step, () => `${call.path}: ${breach}`)]
}

/** What never changes: the key of the service, and what was registered of a data proxy. */
const judgeFacts = ({ history }: Evidence): ReadonlyArray<TrafficViolation> => {
  const known = new Map<string, string>()
  return history.calls.flatMap(({ answer, path, step }) => {
    if (answer?.status !== 200 || !(path === "/info" || path.startsWith("/data-proxy/"))) return []
    const json = parsed(answer.text)
    const fact = path === "/info" ? `${textAt(json, "publicKey")} ${textAt(json, "chainId")}` : answer.text
    const before = known.get(path) ?? fact
    known.set(path, before)
    return unless(before === fact, "facts", step, () => `${path} says ${shown(fact)}, before it said ${shown(before)}`)
  })
}

/** Every REST answer. */
export const judgeCalls = (evidence: Evidence): ReadonlyArray<TrafficViolation> => [
  ...evidence.history.calls.flatMap((call) => judgeCall(evidence, call)),
  ...judgeFacts(evidence)
]
