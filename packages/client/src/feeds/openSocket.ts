/** Opens a WebSocket and gets in: with a ticket, which works everywhere, or with the key as a header where the service knows no tickets. */
import { webSocketAddress } from "../ground/addresses.ts"
import { credentialOf, isTicket, ticketProtocols, webSocketProtocol } from "../ground/credentials.ts"
import type { Ticket } from "../contract/records.ts"
import { InvalidOption, ServiceRefusal } from "../errors/clientError.ts"
import { jsonOf, membersOf } from "../contract/json.ts"
import type { WebSocketClass, WebSocketLike } from "../ground/platform.ts"
import { bounded } from "../rest/bounded.ts"
import { type Caller, callService } from "../rest/call.ts"
import { RefusedUpgrade, refusedUpgrade } from "./refusedUpgrade.ts"
import { Session } from "./session.ts"

/** How long it may take until the service has let us in. */
const patienceMs = 15_000

/** What a WebSocket is opened with: subprotocols, or headers. */
type Entrance = ConstructorParameters<WebSocketClass>[1]

/** One request to one address, without further attempts: whoever opens sockets tries again anyway. */
const oneAttempt = (caller: Caller, base: string): Caller => ({ ...caller, addresses: [base], retry: { ...caller.retry, attempts: 1 } })

const isUnknownPath = (error: unknown): boolean => error instanceof ServiceRefusal && (error.status === 404 || error.status === 405)

const entranceOf = async (caller: Caller, base: string, credential: string, signal: AbortSignal): Promise<Entrance> => {
  if (isTicket(credential)) return ticketProtocols(credential)
  try {
    const call = { method: "POST", path: "/tickets", body: { allow: ["feeds"] }, signal } as const
    const { ticket } = (await callService({ ...oneAttempt(caller, base), auth: credential }, call)) as Ticket
    return ticketProtocols(ticket)
  } catch (error) {
    if (!isUnknownPath(error)) throw error
    return { protocols: [webSocketProtocol], headers: { authorization: `Bearer ${credential}` } } as unknown as Entrance
  }
}

const isAuthorized = (data: unknown): boolean => membersOf(jsonOf(data))["method"] === "authorized"

/** What is used of the event of a close. */
interface CloseLike {
  readonly code?: number
  readonly reason?: string
}

/** How a connection was closed, in words that follow who did. 1006 stands for none, where the connection broke. */
const closedBy = ({ code = 1006, reason = "" }: CloseLike): string =>
  code === 1006 ? "ended the connection without a close frame" : `closed the connection: ${code} ${reason}`.trimEnd()

/** Rejects with a {@link RefusedUpgrade} if the WebSocket ends, or says nothing in time, before the service has let us in, or nobody needs it any more. */
const authorized = ({ platform }: Caller, socket: WebSocketLike, base: string, signal: AbortSignal, ended: () => void): Promise<Session> =>
  new Promise((resolve, reject) => {
    let session: Session | undefined
    /** The package `ws` says why, and Bun; others do not. */
    let why = ""
    let isUntold = false
    const settle = (): void => {
      cancel()
      signal.removeEventListener("abort", giveUp)
    }
    const fail = (): void => {
      settle()
      reject(new RefusedUpgrade(webSocketAddress(base), why, isUntold))
    }
    const giveUp = (): void => {
      socket.close()
      fail()
    }
    const cancel = platform.after(patienceMs, giveUp)
    signal.addEventListener("abort", giveUp)
    socket.onmessage = ({ data }: { readonly data: unknown }) => {
      if (session !== undefined) return session.receive(data)
      if (!isAuthorized(data)) return
      settle()
      session = new Session(platform, socket, ended)
      resolve(session)
    }
    socket.onclose = (event: CloseLike) => {
      if (session !== undefined) return session.close(closedBy(event))
      if (why === "") {
        isUntold = (event.code ?? 1006) === 1006
        why = `it ${closedBy(event)}`
      }
      fail()
    }
    socket.onerror = (event: object) => {
      if ("message" in event && typeof event.message === "string" && event.message !== "") why = event.message
    }
  })

/** What the service answers over HTTP to a credential: the error, if there is one. Of a ticket that takes no use (decision D52). */
const answerOverHttp = async (caller: Caller, base: string, credential: string, signal: AbortSignal): Promise<unknown> => {
  try {
    await callService({ ...oneAttempt(caller, base), auth: credential }, { method: "GET", path: "/project", signal })
    return undefined
  } catch (error) {
    return error
  }
}

/**
 * A session at an address; the signal ends its opening, which would keep a process alive. Rejects with what refuses the credential, or as
 * {@link refusedUpgrade} says: of a refused upgrade, pages are not told why, so the service is asked over HTTP.
 */
export const openSession = async (caller: Caller, base: string, signal: AbortSignal, ended: () => void): Promise<Session> => {
  const { WebSocket } = caller.platform
  if (WebSocket === undefined) throw new InvalidOption("WebSocket", "is missing: this runtime has none, give the class of the package ws")
  const { platform, timeoutMs } = caller
  const late = () => ({ what: "auth gave no key or ticket", mayBeDone: false })
  const credential = await bounded({ platform, timeoutMs, signal, late }, () => credentialOf(caller.auth))
  const entrance = await entranceOf(caller, base, credential, signal)
  signal.throwIfAborted()
  try {
    return await authorized(caller, new WebSocket(webSocketAddress(base), entrance), base, signal, ended)
  } catch (caught) {
    // The constructor throws where a page may not even try, as from https to http.
    const refused = caught instanceof RefusedUpgrade ? caught : new RefusedUpgrade(webSocketAddress(base), (caught as Error).message, false)
    const overHttp = await answerOverHttp(caller, base, credential, signal)
    throw refusedUpgrade(refused, { overHttp, pageOrigin: platform.pageOrigin })
  }
}
