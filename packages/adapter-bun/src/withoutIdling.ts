/** Keeps Bun's idle timeout away from requests that are being answered. */

/** Seconds after which a connection without a request is closed. Bun cuts slow heads by it too. */
export const idleSeconds = 30

/** Answers a request however long it takes, where `idleTimeout` would cut the connection of a long run. */
export const withoutIdling = async <A>(request: Request, server: Bun.Server<unknown>, answer: () => Promise<A>): Promise<A> => {
  server.timeout(request, 0)
  try {
    return await answer()
  } finally {
    server.timeout(request, idleSeconds)
  }
}
