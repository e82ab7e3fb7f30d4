/** Disables Bun's idle timeout for requests that are being answered. */

/** Seconds after which an idle connection is closed. Bun applies it to slow heads too. */
export const idleSeconds = 30

/** What is awaited for a request, without a time limit; `idleTimeout` would close the connection during a long run. */
export const withoutIdling = async <A>(request: Request, server: Bun.Server<unknown>, answering: Promise<A>): Promise<A> => {
  server.timeout(request, 0)
  try {
    return await answering
  } finally {
    server.timeout(request, idleSeconds)
  }
}
