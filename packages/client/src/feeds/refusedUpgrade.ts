/** What a refused WebSocket is to its user: the status of the answer, where the runtime tells it, says whether another attempt may succeed. */
import { NotReached, UnexpectedAnswer } from "../errors/clientError.ts"

const meaningOf: Readonly<Record<number, string>> = {
  401: "the credential is not accepted there, although it is over HTTP",
  404: "there is no WebSocket interface at this address",
  426: "a proxy in front of the service does not pass the headers Upgrade and Connection on"
}

/** Of 300 to 499, what passes by itself: a slow request, one that came too early, and too many connections or requests. */
const passing: ReadonlySet<number> = new Set([408, 425, 429])

/** The status in the words of the package `ws`, or in those of Bun. Pages and Node's own WebSocket are told none. */
const statusIn = (said: string): number | undefined => {
  const text = /\b(?:response|status code): ([1-5][0-9]{2})\b/.exec(said)?.[1]
  return text === undefined ? undefined : Number(text)
}

/** The error of a WebSocket that did not let us in; `said` is what is known of why. A proxy or another server that answers with a final status is no {@link NotReached}. */
export const refusedUpgrade = (address: string, said: string): NotReached | UnexpectedAnswer => {
  const status = statusIn(said)
  if (status === undefined || status < 300 || status > 499 || passing.has(status)) {
    return new NotReached(`${address} did not let us in${said === "" ? "" : `: ${said}`}`)
  }
  const meaning = meaningOf[status]
  return new UnexpectedAnswer(`${address} answered ${status} in place of a WebSocket${meaning === undefined ? "" : `: ${meaning}`}`, status)
}
