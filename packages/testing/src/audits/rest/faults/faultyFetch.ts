/** A service with a seeded fault: what it is sent and what it answers, changed in transit. */
import type { RestFault } from "./restFault.ts"

/** How requests are sent. */
export type Send = (request: Request) => Promise<Response>

const sameHeaders = (left: Headers, right: Headers): boolean => {
  const [one, other] = [[...left], [...right]]
  return one.length === other.length && one.every(([name, value]) => other.some(([its, own]) => its === name && own === value))
}

/** A fault changes messages of one form; in others it has no place, and leaves them alone. */
const changedOrAsItWas = <A>(change: () => A, asItWas: A): A => {
  try {
    return change()
  } catch {
    return asItWas
  }
}

/** Sends requests through the fault; `touched` is called for each exchange that it has changed. */
export const faultyFetch =
  (honest: Send, { answer, body: changeBody, headers: changeHeaders, request }: RestFault, touched: () => void = () => {}): Send =>
  async (asked) => {
    const url = new URL(asked.url)
    request?.(url)
    const sent = Buffer.from(await asked.arrayBuffer()).toString("utf8")
    const changed = sent === "" || changeBody === undefined ? sent : changedOrAsItWas(() => changeBody(sent), sent)
    const sentHeaders = new Headers(asked.headers)
    if (sentHeaders.has("idempotency-key")) changeHeaders?.(sentHeaders, sent)
    if (url.href !== asked.url || changed !== sent || !sameHeaders(sentHeaders, asked.headers)) touched()
    const body = changed === "" ? {} : { body: changed }
    const response = await honest(new Request(url, { method: asked.method, headers: sentHeaders, ...body }))
    if (answer === undefined) return response
    const text = await response.text()
    const passing = { status: response.status, headers: new Headers(response.headers), text }
    const given = changedOrAsItWas(() => answer(passing, url), passing)
    if (given.status !== response.status || given.text !== text || !sameHeaders(given.headers, response.headers)) touched()
    // What answers 304 has no body, not even an empty one.
    return new Response(given.status === 304 ? null : given.text, { status: given.status, headers: given.headers })
  }
