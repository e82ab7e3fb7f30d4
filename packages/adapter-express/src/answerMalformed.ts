/** Answers requests that Node's parser refuses, in the form of other errors: `server.on("clientError", answerMalformed)`. */
import { randomUUID } from "node:crypto"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { errorResponse, type Failure, HeadTooLarge, InvalidRequest, RequestTimeout } from "@sibyl/core"
import { awaitResponses } from "./awaitResponses.ts"
import { breakBody } from "./brokenBody.ts"
import { refuse } from "./refuse.ts"

const failureOf = (code: string | undefined): Failure => {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new HeadTooLarge({ message: "the head of the request is too large" })
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new RequestTimeout({ message: "the request was not complete in time" })
    case "HPE_INVALID_METHOD":
      return new InvalidRequest({ message: "the request has no method of HTTP/1.1, or begins with something else" })
    case "HPE_INVALID_URL":
      return new InvalidRequest({ message: "the target of the request must be percent-encoded" })
    default:
      return new InvalidRequest({ message: "the request is not HTTP/1.1" })
  }
}

/** Node reports every further chunk of such a connection too; it is answered only once. */
const answered = new WeakSet<Duplex>()

/** Node's own fields: the parser of a connection, and the request that it is reading. */
interface Reading {
  readonly parser?: { readonly incoming?: IncomingMessage | null } | null
}

/** The request whose body the parser has refused. */
const brokenOff = ({ code }: NodeJS.ErrnoException, raw: Duplex): IncomingMessage | undefined => {
  const incoming = (raw as Duplex & Reading).parser?.incoming
  const isBody = code?.startsWith("HPE_") === true && incoming !== undefined && incoming !== null && !incoming.complete
  return isBody ? incoming : undefined
}

const answerInOrder = async (error: NodeJS.ErrnoException, raw: Duplex): Promise<void> => {
  const reading = brokenOff(error, raw)
  // It gets its own answer, from who reads it.
  if (reading !== undefined) breakBody(reading)
  if (!(await awaitResponses(raw))) return
  if (reading === undefined) refuse(raw, errorResponse(failureOf(error.code), randomUUID()))
  else raw.end()
}

/** Answers with the error, after the answers to earlier requests, and closes. Does nothing if the client has disconnected. */
export const answerMalformed = (error: NodeJS.ErrnoException, raw: Duplex): void => {
  if (answered.has(raw)) return
  answered.add(raw)
  raw.on("error", () => raw.destroy())
  if (error.code === "ECONNRESET" || !raw.writable) raw.destroy()
  else void answerInOrder(error, raw)
}
