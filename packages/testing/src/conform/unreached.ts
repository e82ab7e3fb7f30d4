/** Why a service was not reached, for people: the runtimes have a line of OpenSSL, or "fetch failed". */
import { Unanswered } from "../audits/unanswered.ts"

/** The codes of Node and of Bun for a certificate that is not trusted. */
const distrust = /^(?:ERR_TLS_)?CERT_|_CERT(?:_|$)|^UNABLE_TO_|^HOSTNAME_MISMATCH$/

/** Node has no code of its own for it, and Bun not that of OpenSSL. */
const noTls = /wrong version number|packet length too long|WRONG_VERSION_NUMBER|ERR_SSL_|EPROTO/i

const ended = /other side closed|ECONNRESET|UND_ERR_SOCKET|socket connection was closed/i

const cureOf = (code: string): string => {
  if (code.includes("EXPIRED")) return "it has to be renewed"
  if (code.includes("ALTNAME") || code === "HOSTNAME_MISMATCH") return "--base-url must have a name that it is for"
  return "NODE_EXTRA_CA_CERTS=FILE adds the authority that issued it, or the certificate itself"
}

/** What was thrown in the place of a response, in words that follow the address. */
const reasonOf = (address: string, thrown: unknown): string => {
  // Node wraps what happened, Bun does not.
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
  // Attempts at several addresses have no words together.
  const told = cause instanceof Error ? cause.message.trim() || code || cause.name : String(cause)
  const isSecure = address.startsWith("https:")
  if (distrust.test(code)) return `its certificate is not trusted (${told}): ${cureOf(code)}`
  if (isSecure && noTls.test(`${code} ${told}`)) return "it does not answer with TLS; without it, the address begins with http://"
  if (!isSecure && ended.test(`${code} ${told}`)) return `it ended the connection (${told}); with TLS, the address begins with https://`
  return told
}

/** Where a request of this address is sent on to; `undefined` if it is not, or that cannot be told. */
const redirectOf = async (address: string): Promise<string | undefined> => {
  const response = await fetch(address, { redirect: "manual", signal: AbortSignal.timeout(10_000) }).catch(() => undefined)
  await response?.body?.cancel()
  const location = response?.headers.get("location") ?? undefined
  return location !== undefined && URL.canParse(location, address) ? new URL(location, address).href : undefined
}

/** Rejects with why a request of this address had no response. One that came too late stays what it is. */
export const unreached =
  (address: string) =>
  async (thrown: unknown): Promise<never> => {
    if (thrown instanceof Unanswered) throw thrown
    const redirect = await redirectOf(address)
    throw new Error(
      redirect === undefined
        ? `${address} cannot be reached: ${reasonOf(address, thrown)}`
        : `${address} redirects to ${redirect}, which cannot be reached: ${reasonOf(redirect, thrown)}`
    )
  }
