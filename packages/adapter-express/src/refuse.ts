/** Answers on a connection that Node's HTTP server has handed over, and ends it. */
import { STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import type { ServiceResponse } from "@sibyl/core"
import { closeInOrder } from "./closeInOrder.ts"

/** Writes a whole HTTP/1.1 answer and closes. No response may be under way. */
export const refuse = (raw: Duplex, { status, headers, body }: ServiceResponse): void => {
  const lines = Object.entries({ ...headers, "content-length": Buffer.byteLength(body), connection: "close" })
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`, ...lines.map((line) => line.join(": ")), "", ""]
  raw.write(head.join("\r\n"))
  raw.write(body)
  closeInOrder(raw)
}
