/** Reads the body of a Node request. */
import type { IncomingMessage } from "node:http"
import { BodyUnreadable } from "@sibyl/core"
import { whenBroken } from "./brokenBody.ts"

/** Who mounts the service behind a body parser is told to mount it before. */
export const alreadyRead = (why: string): BodyUnreadable =>
  new BodyUnreadable("alreadyRead", `${why}; mount the service before body parsers.`)

/** The body is larger than the service reads. */
export const tooLarge = (maxBytes: number): BodyUnreadable => new BodyUnreadable("tooLarge", `The body is larger than ${maxBytes} bytes.`)

/** Reads up to `maxBytes`. What comes after is discarded, so that the client can finish sending and see the answer. */
export const readBody = (request: IncomingMessage, maxBytes: number): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const chunks: Array<Uint8Array> = []
    let length = 0
    const abort = (): void => reject(new BodyUnreadable("aborted", "The client left before the body was complete."))
    if (Number(request.headers["content-length"] ?? 0) > maxBytes) return reject(tooLarge(maxBytes))
    if (request.readableDidRead) return reject(alreadyRead("The body was read before it came to the service"))
    if (request.destroyed) return abort()
    request.on("data", (chunk: Uint8Array) => {
      length += chunk.byteLength
      if (length <= maxBytes) return void chunks.push(chunk)
      chunks.length = 0
      reject(tooLarge(maxBytes))
    })
    whenBroken(request, abort)
    request
      .once("end", () => resolve(Buffer.concat(chunks)))
      .once("error", abort)
      .once("close", abort)
  })
