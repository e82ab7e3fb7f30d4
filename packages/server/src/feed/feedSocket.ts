/** A client's WebSocket to a Sibyl service: opened with a key and read event by event, up to the close code and reason. */
import { createRequire } from "node:module"
import { unknownHost } from "../output/unknownHost.ts"
import { withoutOpenSsl } from "../output/withoutOpenSsl.ts"
import { type WatchedSocket, watchSilence } from "./silentSocket.ts"
import { Data, Deferred, Effect, Queue, Redacted, type Scope } from "effect"

/** Events from the server, in order; `closed` is the last. */
export type SocketEvent =
  | { readonly _tag: "message"; readonly text: string }
  | { readonly _tag: "closed"; readonly code: number; readonly reason: string }

/** How a connection has ended, in one line. */
export const closedText = ({ code, reason }: Extract<SocketEvent, { readonly _tag: "closed" }>): string =>
  `the connection was closed with ${code}: ${reason === "" ? "no reason was given" : reason}`

/** An open connection. */
export interface FeedSocket {
  readonly send: (message: object) => Effect.Effect<void>
  /** Waits for the next event. */
  readonly next: Effect.Effect<SocketEvent>
}

/** The connection cannot be opened, or was lost. */
export class FeedFailed extends Data.TaggedError("FeedFailed")<{
  readonly message: string
  /** The server's HTTP answer to a refused upgrade. */
  readonly status?: string
}> {}

interface ClientSocket extends WebSocket, WatchedSocket {
  readonly terminate: () => void
}

interface ClientClass {
  new (url: string, options: { readonly headers: Readonly<Record<string, string>>; readonly maxPayload: number }): ClientSocket
}

// Node 20 has no global WebSocket, and the web's WebSocket cannot send headers; `ws` works on Node and on Bun.
const { WebSocket: Client } = createRequire(import.meta.url)("ws") as { readonly WebSocket: ClientClass }

/** Enough for any answer, with the result and both phases' logs. */
const maxPayloadBytes = 8 * 1_048_576

const meaningOf: Readonly<Record<string, string>> = {
  401: "the key is not valid there",
  404: "there is no WebSocket interface at this address",
  426: "a proxy in front of it does not pass the headers Upgrade and Connection on",
  429: "the key has too many connections open",
  502: "a proxy stands there, and has no answer from the server behind it",
  503: "it is closing, or has too much to do",
  504: "a proxy stands there, and has no answer from the server behind it"
}

/** The WebSocket address of a service, from its base URL `http://host:port/prefix`. */
export const webSocketAddress = (url: string): string => {
  const base = new URL(url)
  const scheme = base.protocol === "https:" || base.protocol === "wss:" ? "wss:" : "ws:"
  return `${scheme}//${base.host}${base.pathname.replace(/\/+$/, "")}/ws/v1`
}

/** Why a connection failed, from the client library's error on either runtime. */
const refusal = (address: string, said: string): FeedFailed => {
  const status = /response: (\d{3})/.exec(said)?.[1]
  return new FeedFailed({
    ...(status === undefined ? {} : { status }),
    message:
      status === undefined
        ? `cannot connect to ${address}: ${withoutOpenSsl(said)}`
        : `${address} answered ${status}${meaningOf[status] === undefined ? "" : `: ${meaningOf[status]}`}`
  })
}

/** How long the server may take to answer our close frame. */
const goodbyeMs = 2_000

/** Opens a connection that lasts as long as the scope. */
export const openFeedSocket = (address: string, key: Redacted.Redacted): Effect.Effect<FeedSocket, FeedFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const events = yield* Queue.unbounded<SocketEvent>()
    const over = yield* Deferred.make<void>()
    const headers = { authorization: `Bearer ${Redacted.value(key)}` }
    const open = Effect.async<ClientSocket, FeedFailed>((resume) => {
      const socket = new Client(address, { headers, maxPayload: maxPayloadBytes })
      socket.addEventListener("open", () => resume(Effect.succeed(socket)))
      // Before the connection is open, an error is final; afterwards a close event follows with the reason.
      socket.addEventListener("error", (event) =>
        resume(Effect.fail(refusal(address, "message" in event ? String(event.message) : "no connection")))
      )
      socket.addEventListener("message", ({ data }) => events.unsafeOffer({ _tag: "message", text: String(data) }))
      socket.addEventListener("close", ({ code, reason }) => {
        events.unsafeOffer({ _tag: "closed", code, reason })
        Deferred.unsafeDone(over, Effect.void)
      })
      return Effect.sync(() => socket.terminate())
    })
    const close = (socket: ClientSocket) =>
      Effect.sync(() => socket.close(1000)).pipe(
        Effect.zipRight(Effect.timeoutOption(Deferred.await(over), goodbyeMs)),
        Effect.zipRight(Effect.sync(() => socket.terminate()))
      )
    // The runtimes word this differently, and one of them reports nothing.
    const opened = Effect.catchAll(Effect.interruptible(open), (failed) =>
      failed.status === undefined
        ? Effect.flatMap(
            unknownHost(address),
            (why) => new FeedFailed({ message: why === undefined ? failed.message : `cannot connect to ${address}: ${why}` })
          )
        : failed
    )
    const socket = yield* Effect.acquireRelease(opened, close)
    const silent = (): void => {
      events.unsafeOffer({ _tag: "closed", code: 1006, reason: "nothing came over it any more, and a ping was not answered" })
      socket.terminate()
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => watchSilence(socket, silent)),
      (end) => Effect.sync(end)
    )
    return {
      send: (message) => Effect.sync(() => socket.send(JSON.stringify(message))),
      next: Queue.take(events)
    }
  })
