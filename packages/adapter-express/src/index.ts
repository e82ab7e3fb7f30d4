/** Mounts a Sibyl service in an Express 5 app: `app.use("/oracle", sibyl(service))`. */
/// <reference types="node" preserve="true" />
import { answerOf, checkedService, originForm, type Service } from "@sibyl/core"
import type { Request, RequestHandler } from "express"
import { answerRequest } from "./answerRequest.ts"
import { alreadyRead } from "./readBody.ts"

export { attachUpgrades, type UpgradeOptions } from "./attachUpgrades.ts"
export { answerMalformed } from "./answerMalformed.ts"
export { type ListenerOptions, nodeListener } from "./nodeListener.ts"

/** The body that an earlier parser has read, as bytes again; `undefined` if there was none. */
const parsedBody = (request: Request): Uint8Array | undefined => {
  const body: unknown = request.body
  if (body === undefined || body instanceof Uint8Array) return body
  if (typeof body === "string") return Buffer.from(body)
  if (request.is(["json", "+json"]) === false) throw alreadyRead("The body was read by a parser of another format")
  // Digits that the parser may have rounded would silently change the data request, and 1e999 would become null.
  const exact = (_key: string, value: unknown): unknown => {
    if (typeof value !== "number" || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value
    throw alreadyRead("A large number in the body may have been rounded by a JSON parser")
  }
  return Buffer.from(JSON.stringify(body, exact))
}

/** The service as an Express handler, under any prefix; paths that are not the service's go to `next()`. Throws `InvalidOption` for what is no service. */
export const sibyl = (service: Service): RequestHandler => {
  const answer = answerOf(checkedService(service))
  return (request, response, next) =>
    answerRequest(answer, { request, response, url: originForm(request.url), parsedBody: () => parsedBody(request), elsewhere: next })
}
