/** JSON-RPC replies and notifications as text (decisions D16, D17, D39). */
import type { Failure } from "../../contract/errors.ts"
import { failedExecutionCode } from "../../contract/rpc.ts"
import { type Members, type RawJson, type ResponseValue, writeResponse } from "../../domain/encoding/responseJson.ts"
import type { ParseError } from "./rpcMessage.ts"

/** The outcome of a request or a run: a result, or an error object. */
export type RpcOutcome = { readonly result: Members } | { readonly error: Members | RawJson }

const detailsOf = (failure: Failure | ParseError): Members =>
  "details" in failure && failure.details !== undefined ? { details: failure.details as { readonly [name: string]: ResponseValue } } : {}

/** A failure as an error object. */
export const failureOutcome = (failure: Failure | ParseError): { readonly error: Members } => ({
  error: {
    _tag: failure._tag,
    code: failure.rpcCode,
    error: failure.message,
    message: failure.message,
    ...detailsOf(failure)
  }
})

/** An execution's response in JSON-RPC: a success is a result, a failed execution is an error object with its data. */
export const executionOutcome = (view: Members): RpcOutcome =>
  view["_tag"] === "FailedExecutionResponse"
    ? { error: { _tag: view["_tag"], code: failedExecutionCode, error: view["error"], message: view["message"], data: view["data"] } }
    : { result: view }

/** The reply to one request. */
export const replyText = (id: string | null, outcome: RpcOutcome): string => writeResponse({ jsonrpc: "2.0", id, ...outcome })

/** A notification. */
export const notificationText = (method: string, params: Members): string => writeResponse({ jsonrpc: "2.0", method, params })
