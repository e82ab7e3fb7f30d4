/** What a `fetch` without an answer is to its user: each runtime says in words of its own whether anything was sent, and pages are not told. */
import { membersOf } from "../contract/json.ts"
import { NotReached } from "../errors/clientError.ts"

/** No connection, so nothing was sent. Node and Bun. */
const unsentCodes: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"])

/** A connection that ended, before or after the request had arrived. */
const endedCodes: ReadonlySet<unknown> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"])

/** Deno has no codes. */
const unsentWords = "client error (Connect)"

/** The error of a `fetch` that rejected. Node and Deno wrap what happened, Bun does not. */
export const brokenFetch = (base: string, error: unknown): NotReached => {
  const known = membersOf(membersOf(error)["cause"] ?? error)
  const { code, message, syscall } = known
  const isUnsent = unsentCodes.has(code) || syscall === "connect" || (typeof message === "string" && message.includes(unsentWords))
  if (isUnsent) return new NotReached(`${base} cannot be reached`, error, false)
  if (endedCodes.has(code)) return new NotReached(`${base} ended the connection before it answered`, error)
  return new NotReached(`${base} cannot be reached, or the connection ended before it answered`, error)
}
