/** Answers requests that Node's parser refuses, in the form of other errors: `server.on("clientError", answerMalformed)`. */
import { randomUUID } from "node:crypto"
import type { Duplex } from "node:stream"
import { errorResponse, type Failure, HeadTooLarge, InvalidRequest, RequestTimeout } from "@sibyl/core"
import { awaitResponses } from "./awaitResponses.ts"
import { refuse } from "./refuse.ts"

const failureOf = (code: string | undefined): Failure => {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new HeadTooLarge({ message: "the head of the request is too large" })
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new RequestTimeout({ message: "the request was not complete in time" })
    default:
      return new InvalidRequest({ message: "the request is not HTTP/1.1" })
  }
}

/** Node reports every further chunk of such a connection too; it is answered only once. */
const answered = new WeakSet<Duplex>()

const answerInOrder = async (code: string | undefined, raw: Duplex): Promise<void> => {
  if (await awaitResponses(raw)) refuse(raw, errorResponse(failureOf(code), randomUUID()))
}

/** Answers with the error, after the answers to earlier requests, and closes. Does nothing if the client has disconnected. */
export const answerMalformed = (error: NodeJS.ErrnoException, raw: Duplex): void => {
  if (answered.has(raw)) return
  answered.add(raw)
  raw.on("error", () => raw.destroy())
  if (error.code === "ECONNRESET" || !raw.writable) raw.destroy()
  else void answerInOrder(error.code, raw)
}
