/** What a `fetch` without an answer is to its user: each runtime says in words of its own whether anything was sent, and pages are not told. */
import { membersOf } from "../contract/json.ts"
import { NotReached } from "../errors/clientError.ts"

/** No connection, so nothing was sent. Node and Bun. */
const unsentCodes: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"])

/** A connection that ended, before or after the request had arrived. */
const endedCodes: ReadonlySet<unknown> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"])

/** Deno has no codes. */
const unsentWords = "client error (Connect)"

/** A certificate that is not trusted: the codes of Node and Bun, the words of Deno. */
const distrust = /^(?:ERR_TLS_)?CERT_|_CERT(?:_|$)|^UNABLE_TO_|^HOSTNAME_MISMATCH$|invalid peer certificate/

/** Why the certificate is not trusted, in the runtime's words; undefined: that is not why. */
const distrustIn = (code: unknown, message: unknown): string | undefined => {
  const said = typeof message === "string" ? message : ""
  const isDistrust = (typeof code === "string" && distrust.test(code)) || distrust.test(said)
  return isDistrust ? said.replace(/^.*invalid peer certificate: /, "") : undefined
}

/** The error of a `fetch` that rejected. Node and Deno wrap what happened, Bun does not. A page is told nothing by its browser, also where it may not ask the service. */
export const brokenFetch = (base: string, error: unknown, pageOrigin?: string): NotReached => {
  const known = membersOf(membersOf(error)["cause"] ?? error)
  const { code, message, syscall } = known
  const untrusted = distrustIn(code, message)
  if (untrusted !== undefined) return new NotReached(`the certificate of ${base} is not trusted: ${untrusted}`, error, false)
  const isUnsent = unsentCodes.has(code) || syscall === "connect" || (typeof message === "string" && message.includes(unsentWords))
  if (isUnsent) return new NotReached(`${base} cannot be reached`, error, false)
  if (endedCodes.has(code)) return new NotReached(`${base} ended the connection before it answered`, error)
  const untold = `${base} cannot be reached, or the connection ended before it answered`
  const isForeign = pageOrigin !== undefined && new URL(base).origin !== pageOrigin
  const byBrowser = `, or its allowedOrigins do not list the origin of this page, ${pageOrigin}, or the browser does not let the page reach the service's network`
  return new NotReached(isForeign ? `${untold}${byBrowser}` : untold, error)
}
