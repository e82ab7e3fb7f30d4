/** Upstreams on loopback for laws of outbound HTTP, which end with the scope that opened them. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, type Scope } from "effect"

/** A request as the upstream received it. */
export interface ReceivedRequest {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
}

/** A listening upstream. */
export interface LawUpstream {
  readonly port: number
  /** What it received, in order. */
  readonly received: ReadonlyArray<ReceivedRequest>
  /** Connections that their client has ended before the answer. */
  readonly left: () => number
}

/** Answers a request; without an answer, the request waits. */
export type Answers = (request: ReceivedRequest, response: ServerResponse) => void

const bodyOf = async (incoming: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const piece of incoming) text += String(piece)
  return text
}

/** Listens on a free port of loopback. */
export const openUpstream = (answers: Answers): Effect.Effect<LawUpstream, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const received: Array<ReceivedRequest> = []
      let left = 0
      const server = createServer((incoming, response) => {
        response.on("close", () => {
          if (!response.writableFinished) left += 1
        })
        const { headers, method, url } = incoming
        const answer = async (): Promise<void> => {
          const request = { method, url, headers, body: await bodyOf(incoming) }
          received.push(request)
          answers(request, response)
        }
        void answer().catch(() => response.destroy())
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return { server, upstream: { port: (server.address() as AddressInfo).port, received, left: () => left } }
    }),
    ({ server }) =>
      Effect.promise(() => {
        server.closeAllConnections()
        return new Promise<void>((resolve) => server.close(() => resolve()))
      })
  ).pipe(Effect.map(({ upstream }) => upstream))
