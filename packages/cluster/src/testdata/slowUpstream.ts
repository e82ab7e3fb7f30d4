/** An upstream on loopback that takes its time and says what it was asked. */
import { Effect, type Scope } from "effect"
import { once } from "node:events"
import { createServer } from "node:http"

/** Opens one; answers its origin. It closes with the scope. */
export const openSlowUpstream = (delayMs: number): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const server = createServer((request, response) => {
          // The same answer at any time.
          response.sendDate = false
          setTimeout(() => response.end(`about ${request.url}`), delayMs)
        })
        server.listen(0, "127.0.0.1")
        await once(server, "listening")
        return server
      }),
      (server) =>
        Effect.promise(async () => {
          server.closeAllConnections()
          server.close()
        })
    ),
    (server) => {
      const address = server.address()
      return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
    }
  )
