/** One WebSocket message as a JSON-RPC request, or the error that answers it (decision D17). */
import { Either, ParseResult, Schema } from "effect"
import { type Failure, InvalidParameter, InvalidRequest, MethodNotFound } from "../../contract/errors.ts"
import { envelopeRules, RpcEnvelope, type RpcMethod } from "../../contract/rpc.ts"
import { isJsonArray, isJsonObject, type Json } from "../../domain/encoding/losslessJson.ts"
import { readRequestJson } from "../execution/requestJson.ts"
import { isParameterPlace, type ParameterPlace } from "../execution/executeParameters.ts"
import { givenTwice } from "../execution/query.ts"

/** A request with a valid envelope. */
export interface RpcCall {
  readonly id: string
  readonly method: RpcMethod
  readonly params: ParameterPlace
}

/** A message that is not a valid request. `id` is null if the message's own id is not known for certain. */
export interface RpcRefusal {
  readonly id: string | null
  readonly failure: Failure | ParseError
}

/** The text is not JSON. */
export interface ParseError {
  readonly _tag: "ParseError"
  readonly rpcCode: 32700
  readonly message: string
}

const invalid = (message: string): Either.Either<never, RpcRefusal> => Either.left({ id: null, failure: new InvalidRequest({ message }) })

const inParams = /^params\./

const decodeEnvelope = Schema.decodeUnknownEither(RpcEnvelope)

type Member = keyof typeof envelopeRules

/** The refusal for the first invalid member. The id is echoed if only the params are wrong, or the method is unknown. */
const refusalOf = (member: Member, message: ReadonlyMap<string, Json>): Either.Either<never, RpcRefusal> => {
  const value = message.get(member)
  const id = message.get("id")
  const rule = value === undefined ? "is required" : envelopeRules[member]
  if (typeof id !== "string" || member === "jsonrpc" || member === "id") return invalid(`${member}: ${rule}`)
  if (member === "params") {
    return Either.left({ id, failure: InvalidParameter.because("params", value === null ? "is required" : rule) })
  }
  return typeof value === "string"
    ? Either.left({ id, failure: new MethodNotFound({ message: `method: ${rule}` }) })
    : invalid(`method: ${value === undefined ? rule : "must be a string"}`)
}

/** The members of the envelope, for its schema. Parameters keep all their digits and are read later. */
const membersOf = (message: ReadonlyMap<string, Json>): Readonly<Record<string, unknown>> => {
  const params = message.get("params")
  return {
    jsonrpc: message.get("jsonrpc"),
    id: message.get("id"),
    method: message.get("method"),
    params: params !== undefined && isParameterPlace(params) ? {} : null
  }
}

/** A schema is applied member by member, in its own order. */
const firstMemberIn = (error: ParseResult.ParseError): Member => {
  const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
  return members.find((member) => member === issue?.path[0]) ?? "params"
}

const members = Object.keys(envelopeRules) as ReadonlyArray<Member>

/** `repeated` is the path of a key that occurs with two values. */
const readEnvelope = (message: ReadonlyMap<string, Json>, repeated: string | undefined): Either.Either<RpcCall, RpcRefusal> => {
  if (repeated !== undefined && !inParams.test(repeated)) {
    return invalid(`${repeated.slice(0, 200)}: is given twice with different values`)
  }
  const params = message.get("params")
  const read = decodeEnvelope(membersOf(message))
  if (Either.isLeft(read)) return refusalOf(firstMemberIn(read.left), message)
  const { id, method } = read.right
  if (params === undefined || !isParameterPlace(params)) return refusalOf("params", message)
  if (repeated !== undefined) return Either.left({ id, failure: givenTwice(repeated.replace(inParams, "").slice(0, 200)) })
  return Either.right({ id, method, params })
}

/** Reads one text frame. */
export const readRpcMessage = (text: string): Either.Either<RpcCall, RpcRefusal> => {
  const read = readRequestJson(text)
  if (!read.ok) {
    const message = `the message must be JSON: ${read.fault.message} at character ${read.fault.at}`
    return Either.left({ id: null, failure: { _tag: "ParseError", rpcCode: 32700, message } })
  }
  if (isJsonArray(read.value)) return invalid("batches are not supported; send one request a message")
  return isJsonObject(read.value) ? readEnvelope(read.value, read.repeated) : invalid("the message must be a JSON object")
}
