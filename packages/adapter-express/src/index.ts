/** Mounts a Sibyl service in an Express 5 app: `app.use("/oracle", sibyl(service))`. */
/// <reference types="node" preserve="true" />
import { BodyUnreadable, originForm, type Service } from "@sibyl/core"
import type { Request, RequestHandler } from "express"
import { NodeRequest } from "./nodeRequest.ts"

export { attachUpgrades, type UpgradeOptions } from "./attachUpgrades.ts"
export { answerMalformed } from "./answerMalformed.ts"

const alreadyRead = (why: string): BodyUnreadable => new BodyUnreadable("alreadyRead", `${why}; mount the service before body parsers.`)

const tooLarge = (maxBytes: number): BodyUnreadable => new BodyUnreadable("tooLarge", `The body is larger than ${maxBytes} bytes.`)

/** The body that an earlier parser has read, as bytes again; `undefined` if there was none. */
const parsedBody = (request: Request): Uint8Array | undefined => {
  const body: unknown = request.body
  if (body === undefined || body instanceof Uint8Array) return body
  if (typeof body === "string") return Buffer.from(body)
  if (request.is(["json", "+json"]) === false) throw alreadyRead("The body was read by a parser of another format")
  // Digits that the parser may have rounded would silently change the data request.
  const exact = (_key: string, value: unknown): unknown => {
    if (!Number.isInteger(value) || Number.isSafeInteger(value)) return value
    throw alreadyRead("A large integer in the body may have been rounded by a JSON parser")
  }
  return Buffer.from(JSON.stringify(body, exact))
}

/** Reads up to `maxBytes`. What comes after is discarded, so that the client can finish sending and see the answer. */
const readStream = (request: Request, maxBytes: number): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const chunks: Array<Uint8Array> = []
    let length = Number(request.headers["content-length"] ?? 0)
    const abort = (): void => reject(new BodyUnreadable("aborted", "The client left before the body was complete."))
    if (length > maxBytes) return reject(tooLarge(maxBytes))
    if (request.readableDidRead) return reject(alreadyRead("The body was read before it came to the service"))
    if (request.destroyed) return abort()
    length = 0
    request.on("data", (chunk: Uint8Array) => {
      length += chunk.byteLength
      if (length <= maxBytes) return void chunks.push(chunk)
      chunks.length = 0
      reject(tooLarge(maxBytes))
    })
    request
      .once("end", () => resolve(Buffer.concat(chunks)))
      .once("error", abort)
      .once("close", abort)
  })

/** The service as an Express handler, under any prefix; paths that are not the service's go to `next()`. */
export const sibyl =
  (service: Service): RequestHandler =>
  async (request, response, next) => {
    const body = async (maxBytes: number): Promise<Uint8Array> => {
      const bytes = parsedBody(request) ?? (await readStream(request, maxBytes))
      if (bytes.byteLength > maxBytes) throw tooLarge(maxBytes)
      return bytes
    }
    const answer = await service.fetch(new NodeRequest(request, originForm(request.url), body, response))
    if (answer === undefined) return next()
    if (response.headersSent || response.destroyed) return
    // The answer to a HEAD states the length of the body that a GET would have.
    const { body: bytes, headers, status } = answer
    response.writeHead(status, { "content-length": Buffer.byteLength(bytes), ...headers })
    response.end(bytes)
  }
