/** One WebSocket message as a JSON-RPC request, or the error that answers it (decision D17). */
import { Either } from "effect"
import { type Failure, InvalidParameter, InvalidRequest, MethodNotFound } from "../../contract/errors.ts"
import { rpcMethods, type RpcMethod } from "../../contract/rpc.ts"
import { isJsonArray, isJsonObject, type Json, readJson } from "../../domain/encoding/losslessJson.ts"
import type { ParameterPlace } from "../execution/executeParameters.ts"
import { givenTwice } from "../execution/query.ts"

/** A request whose envelope is right. */
export interface RpcCall {
  readonly id: string
  readonly method: RpcMethod
  readonly params: ParameterPlace
}

/** A message that is not a request of ours. `id` is null where the message's own id cannot be trusted. */
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

const invalid = (message: string): Either.Either<never, RpcRefusal> =>
  Either.left({ id: null, failure: new InvalidRequest({ message }) })

const isMethod = (method: string): method is RpcMethod => rpcMethods.some((known) => known === method)

const missingOr = (value: Json | undefined, rule: string): string => (value === undefined ? "is required" : rule)

const inParams = /^params\./

/** `repeated` is the path of a key that has two values. */
const readEnvelope = (
  message: ReadonlyMap<string, Json>,
  repeated: string | undefined
): Either.Either<RpcCall, RpcRefusal> => {
  const version = message.get("jsonrpc")
  const id = message.get("id")
  const method = message.get("method")
  const params = message.get("params")
  if (repeated !== undefined && !inParams.test(repeated)) {
    return invalid(`${repeated.slice(0, 200)}: is given twice with different values`)
  }
  if (version !== "2.0") return invalid(`jsonrpc: ${missingOr(version, "must be \"2.0\"")}`)
  if (typeof id !== "string") return invalid(`id: ${missingOr(id, "must be a string")}`)
  if (typeof method !== "string") return invalid(`method: ${missingOr(method, "must be a string")}`)
  if (!isMethod(method)) {
    const known = rpcMethods.join(", ")
    return Either.left({ id, failure: new MethodNotFound({ message: `method: must be one of ${known}` }) })
  }
  if (params === undefined || params === null || !isJsonObject(params)) {
    const rule = params === undefined || params === null ? "is required" : "must be an object"
    return Either.left({ id, failure: InvalidParameter.because("params", rule) })
  }
  if (repeated !== undefined) return Either.left({ id, failure: givenTwice(repeated.replace(inParams, "").slice(0, 200)) })
  return Either.right({ id, method, params })
}

/** Reads one text frame. */
export const readRpcMessage = (text: string): Either.Either<RpcCall, RpcRefusal> => {
  const read = readJson(text)
  if (!read.ok) {
    const message = `the message must be JSON: ${read.fault.message} at character ${read.fault.at}`
    return Either.left({ id: null, failure: { _tag: "ParseError", rpcCode: 32700, message } })
  }
  if (isJsonArray(read.value)) return invalid("batches are not supported; send one request a message")
  return isJsonObject(read.value) ? readEnvelope(read.value, read.repeated) : invalid("the message must be a JSON object")
}
