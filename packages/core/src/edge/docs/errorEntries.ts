/** Every error as the page of errors shows it: where it is met, its cause and cure, and one as it is sent. */
import type { OpenAPISpec } from "@effect/platform/OpenApi"
import * as Errors from "../../contract/errors.ts"
import { errorResponse } from "../transport/errorResponse.ts"
import { errorFacts, upgradeFacts } from "./asyncApiFacts.ts"
import { failedExample } from "./asyncApiSession.ts"

/** An answer over HTTP as an example. */
export interface HttpExample {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
}

/** One error. */
export interface ErrorEntry {
  readonly tag: string
  /** Undefined for an error that is sent over WebSocket only. */
  readonly status?: number
  /** Undefined for an error that is sent over HTTP only. */
  readonly rpcCode?: number
  readonly cause: string
  readonly cure: string
  /** Where it is met, in words. */
  readonly where: ReadonlyArray<string>
  readonly http?: HttpExample
  /** A message of JSON-RPC. */
  readonly rpc?: Readonly<Record<string, unknown>>
}

const requestId = "0199a1f4-6c3e-7b20-8d5a-4e7f1c2b3a49"

const operationsOf = ({ paths }: OpenAPISpec) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      needsKey: (operation.security ?? []).length > 0,
      answers: JSON.stringify(operation.responses)
    }))
  )

type Operations = ReturnType<typeof operationsOf>

/** The operations that declare an error, in words: all of them, all that need a key, or by name. */
const placesInRest = (tag: string, all: Operations): ReadonlyArray<string> => {
  const those = all.filter(({ answers }) => answers.includes(`"#/components/schemas/${tag}"`))
  const namesOf = (operations: Operations): string => operations.map(({ name }) => name).join(", ")
  if (those.length === all.length) return ["every request"]
  const keyed = all.filter(({ needsKey }) => needsKey)
  return those.length === keyed.length && namesOf(those) === namesOf(keyed)
    ? ["every request that needs a key"]
    : those.map(({ name }) => name)
}

/** Where a tag is met, and whether over HTTP and over WebSocket. */
const placesOf = (tag: string, all: Operations) => {
  const inRest = placesInRest(tag, all)
  const atUpgrade = upgradeFacts.some((fact) => fact.tag === tag)
  const overWebSocket = errorFacts.some((fact) => fact.tag === tag)
  const overHttp = inRest.length > 0 || atUpgrade || !overWebSocket
  const where = [
    ...inRest,
    ...(overHttp && inRest.length === 0 && !atUpgrade ? ["requests outside of the operations"] : []),
    ...(atUpgrade ? ["opening a WebSocket"] : []),
    ...(overWebSocket ? ["messages of a WebSocket"] : [])
  ]
  return { where, overHttp, overWebSocket }
}

const httpExample = (failure: Errors.Failure): HttpExample => {
  const { body, headers, status } = errorResponse(failure, requestId)
  return { status, headers, body: JSON.parse(String(body)) as HttpExample["body"] }
}

const rpcExample = (code: number, body: Readonly<Record<string, unknown>>, id: string | null = "1"): Readonly<Record<string, unknown>> => {
  const { _tag, requestId: _requestId, ...rest } = body
  return { jsonrpc: "2.0", id, error: { _tag, code, ...rest } }
}

const entryOf = (error: (typeof Errors)[keyof typeof Errors], all: Operations): ErrorEntry => {
  const { meaning, rpcCode, status } = error
  const failure = new error(meaning.example)
  const { overHttp, overWebSocket, where } = placesOf(failure._tag, all)
  const http = httpExample(failure)
  return {
    tag: failure._tag,
    cause: meaning.cause,
    cure: meaning.cure,
    where,
    ...(overHttp ? { status, http } : {}),
    ...(overWebSocket ? { rpcCode, rpc: rpcExample(rpcCode, http.body) } : {})
  }
}

/** The two that are no failures of a request by the contract: a message that is not JSON, and a program that failed. */
const otherEntries = (all: Operations): ReadonlyArray<ErrorEntry> =>
  errorFacts
    .filter(({ tag }) => !Object.hasOwn(Errors, tag))
    .map(({ code, cure, tag, when }) => {
      const { overHttp, where } = placesOf(tag, all)
      const text = "the message must be JSON: expected a value at character 0"
      const failed = tag === failedExample._tag
      return {
        tag,
        rpcCode: code,
        cause: when,
        cure,
        where,
        rpc: failed ? rpcExample(code, failedExample) : rpcExample(code, { _tag: tag, error: text, message: text }, null),
        ...(overHttp ? { status: 599, http: { status: 599, headers: { "x-request-id": failedExample.data.id }, body: failedExample } } : {})
      }
    })

/** All errors, by status and then by code. `spec` is the OpenAPI document, which says where REST answers each. */
export const errorEntries = (spec: OpenAPISpec): ReadonlyArray<ErrorEntry> => {
  const all = operationsOf(spec)
  const entries = [...Object.values(Errors).map((error) => entryOf(error, all)), ...otherEntries(all)]
  const rank = ({ rpcCode = 0, status = 1_000 }: ErrorEntry): number => status * 100_000 + rpcCode
  return entries.toSorted((one, other) => rank(one) - rank(other))
}
