/** The forms of values on the wire, and checks that many audits share. */
import { type Check, holds, keysAre, matches, same } from "../check.ts"
import { type Answer, at } from "./call.ts"

/** A UUID in lowercase. */
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
/** A decimal integer, 0 or more. */
export const decimal = /^(0|[1-9][0-9]*)$/
/** 64 lowercase hex characters. */
export const id64 = /^[0-9a-f]{64}$/
/** The content type of every JSON response. */
export const jsonType = /^application\/json\b/

/** The members of `data` that every execution has, in order. */
export const dataKeys = ["id", "requestId", "dataRequest", "dataResult", "signature", "result"] as const
/** The members of `dataRequest`, in order. */
export const dataRequestKeys = [
  "consensusFilter",
  "execGasLimit",
  "execInputs",
  "execProgramId",
  "gasPrice",
  "memo",
  "replicationFactor",
  "tallyGasLimit",
  "tallyInputs",
  "tallyProgramId",
  "version"
] as const
/** The members of the answer to `GET /verify`, in order. */
export const verifyKeys = [
  "apiKeyId",
  "apiKeyExpiresAt",
  "organizationId",
  "organizationSlug",
  "projectId",
  "remainingCreditsSnapshot",
  "usedCreditsSnapshot"
] as const
/** The members of `dataResult` before the payload, in order. */
export const dataResultKeys = [
  "drId",
  "gasUsed",
  "blockHeight",
  "blockTimestamp",
  "consensus",
  "exitCode",
  "version",
  "result",
  "paybackAddress"
] as const
/** The members of one phase, in order. */
export const phaseKeys = ["result", "gasUsed", "stdout", "stderr", "exitCode"] as const

/** Checks an error response: its status, tag and body, and that the body contains `naming` if given. */
export const isError = (what: string, answer: Answer, status: number, tag: string, naming?: string): ReadonlyArray<Check> => {
  const keys = ["_tag", "error", "message", "requestId"]
  const details = at(answer.json, "details")
  const text = at(answer.json, "error")
  return [
    same(`${what}: status`, answer.status, status),
    matches(`${what}: content type`, answer.header("content-type"), jsonType),
    keysAre(`${what}: members`, answer.json, details === undefined ? keys : [...keys, "details"]),
    same(`${what}: _tag`, at(answer.json, "_tag"), tag),
    matches(`${what}: error`, text, /\S/),
    same(`${what}: message is the same text`, at(answer.json, "message"), text),
    matches(`${what}: requestId`, at(answer.json, "requestId"), uuid),
    same(`${what}: x-request-id`, answer.header("x-request-id"), at(answer.json, "requestId")),
    ...(naming === undefined ? [] : [holds(`${what}: names ${naming}`, String(text).includes(naming), text)])
  ]
}

/** Checks a 400 for a parameter, which the response names. */
export const refusesParameter = (what: string, answer: Answer, naming: string): ReadonlyArray<Check> =>
  isError(what, answer, 400, "InvalidParameter", naming)

/** Checks a successful execution. */
export const succeeds = (what: string, answer: Answer): ReadonlyArray<Check> => [
  same(`${what}: status`, answer.status, 200),
  same(`${what}: _tag`, at(answer.json, "_tag"), "ExecuteResponse")
]
