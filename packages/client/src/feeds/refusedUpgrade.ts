/** What a refused WebSocket is to its user: the status of the answer, where the runtime tells it, says whether another attempt may succeed. */
import { type ClientError, NotReached, ServiceRefusal, UnexpectedAnswer } from "../errors/clientError.ts"

const meaningOf: Readonly<Record<number, string>> = {
  401: "the credential is not accepted there, although it is over HTTP",
  403: "the ticket allows neither runs nor feeds, or not this origin",
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

/** A WebSocket that did not let us in; its message is what the runtime says of it. */
export class RefusedUpgrade extends Error {
  readonly address: string
  /** Whether the message says nothing of why: pages and Node's own WebSocket are not told. */
  readonly isUntold: boolean

  constructor(address: string, said: string, isUntold: boolean) {
    super(said)
    this.address = address
    this.isUntold = isUntold
  }
}

/** What else there is to explain it with. */
export interface Beside {
  /** What a call with the same credential was answered: its error, if it had one. */
  readonly overHttp: unknown
  /** The origin of the page in which this runs, if it does in one. */
  readonly pageOrigin: string | undefined
}

/** What is told in place of a reason that the runtime does not tell. */
const guess = (said: string, { overHttp, pageOrigin }: Beside): string => {
  if (overHttp instanceof NotReached) return pageOrigin === undefined && overHttp.mayBeDone ? said : overHttp.message
  if (pageOrigin === undefined) return said
  const origin = pageOrigin === "null" ? "it has none: it is a file, or in a sandbox" : `it is ${pageOrigin}`
  return (
    `${said}. Calls are answered, and browsers do not tell why: do allowedOrigins, or the ticket's origins, name the origin of this page (${origin}), ` +
    "has the key fewer connections open than it may, and do proxies pass the headers Host, Upgrade and Connection on? " +
    "The log of the service has the reason"
  )
}

/** The error of a WebSocket that did not let us in. A proxy or another server that answers with a final status is no {@link NotReached}. */
export const refusedUpgrade = ({ address, isUntold, message: said }: RefusedUpgrade, beside: Beside): ClientError => {
  if (beside.overHttp instanceof ServiceRefusal && beside.overHttp._tag === "Unauthorized") return beside.overHttp
  const status = statusIn(said)
  if (status === undefined || status < 300 || status > 499 || passing.has(status)) {
    const why = isUntold ? guess(said, beside) : said
    return new NotReached(`${address} did not let us in${why === "" ? "" : `: ${why}`}`)
  }
  const meaning = meaningOf[status]
  return new UnexpectedAnswer(`${address} answered ${status} in place of a WebSocket${meaning === undefined ? "" : `: ${meaning}`}`, status)
}
