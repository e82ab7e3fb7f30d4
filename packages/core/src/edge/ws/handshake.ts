/** Whether a handshake of a WebSocket is well-formed (RFC 6455, section 4.2.1). Refused here, the answer is the service's own on every runtime (decision D13). */
import { InvalidRequest, MethodNotAllowed, UpgradeRequired } from "../../contract/errors.ts"
import { errorResponse } from "../transport/errorResponse.ts"
import type { ServiceRequest, ServiceResponse } from "../transport/seam.ts"

const version = "13"

/** 16 bytes in base64. */
const keyForm = /^[+/0-9A-Za-z]{22}==$/

/** Distinct tokens (RFC 9110, section 5.6.2), with a comma between two. */
const isSubprotocolList = (offered: string): boolean => {
  const names = offered.split(",").map((name) => name.trim())
  return names.every((name) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) && new Set(names).size === names.length
}

const hasUpgradeOption = (connection: string | undefined): boolean =>
  connection?.split(",").some((option) => option.trim().toLowerCase() === "upgrade") === true

/** The answer to a malformed handshake. Who asks within the process, without the header Upgrade, has none that could be malformed. */
export const malformedHandshake = (request: ServiceRequest, newRequestId: () => string): ServiceResponse | undefined => {
  if (request.header("upgrade") === undefined) return undefined
  const refused = (failure: Parameters<typeof errorResponse>[0], more: Readonly<Record<string, string>> = {}): ServiceResponse => {
    const answer = errorResponse(failure, newRequestId())
    return { ...answer, headers: { ...answer.headers, ...more } }
  }
  if (request.method !== "GET") {
    const failure = new MethodNotAllowed({ message: `${request.method} opens no WebSocket`, details: { allow: "GET" } })
    return refused(failure, { allow: "GET" })
  }
  if (!hasUpgradeOption(request.header("connection"))) {
    return refused(new UpgradeRequired({ message: "the header Connection has to say Upgrade, beside the header Upgrade" }))
  }
  if (request.header("sec-websocket-version") !== version) {
    return refused(new UpgradeRequired({ message: `the header Sec-WebSocket-Version has to be ${version}` }), {
      "sec-websocket-version": version
    })
  }
  if (!keyForm.test(request.header("sec-websocket-key") ?? "")) {
    return refused(new InvalidRequest({ message: "the header Sec-WebSocket-Key has to be 16 bytes in base64" }))
  }
  // Before a ticket among them is used: the runtime's own parser would refuse the handshake afterwards.
  const offered = request.header("sec-websocket-protocol")
  if (offered !== undefined && !isSubprotocolList(offered)) {
    return refused(new InvalidRequest({ message: "the header Sec-WebSocket-Protocol has to be a list of distinct subprotocols" }))
  }
  return undefined
}
