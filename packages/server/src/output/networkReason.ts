/** Why a request to a server had no answer: a certificate that is not trusted looks otherwise like a server that is down. */
import { withoutOpenSsl } from "./withoutOpenSsl.ts"

/** Bun's errors have a code themselves, also those of requests that cannot be made. */
const isOfNetwork = (fault: Error): boolean => "code" in fault && typeof fault.code === "string" && !fault.code.startsWith("ERR_INVALID")

/**
 * What the runtime says of the network, as it follows an address. Empty for any other fault, such as a header that cannot be sent, whose own
 * words may repeat a key.
 */
export const networkReason = (fault: unknown): string => {
  if (!(fault instanceof Error)) return ""
  if (fault.name === "TimeoutError") return ": no answer in time"
  // Node has it as the cause: of attempts at several addresses without words, but with a code.
  const said = fault.cause instanceof Error ? fault.cause : isOfNetwork(fault) ? fault : undefined
  if (said === undefined) return ""
  return `: ${said.message !== "" ? withoutOpenSsl(said.message) : "code" in said ? String(said.code) : said.name}`
}
