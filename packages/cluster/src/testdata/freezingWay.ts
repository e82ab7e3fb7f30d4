/** For tests: a way to a server on which nothing comes through any more once it is frozen, as to a machine without power. */
import { connect, createServer, type Socket } from "node:net"
import { Effect, type Scope } from "effect"

/** A way. */
export interface FreezingWay {
  readonly port: number
  /** Connections that were begun over it. */
  readonly tries: () => number
  /** Where it leads. */
  readonly leadTo: (port: number) => void
  /** From now on there is only silence. */
  readonly freeze: () => void
}

/** Opens one, until the scope closes. */
export const freezingWay: Effect.Effect<FreezingWay, never, Scope.Scope> = Effect.gen(function* () {
  let [target, tries, isFrozen] = [0, 0, false]
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    tries += 1
    sockets.add(near.on("error", () => {}))
    if (isFrozen) return
    const far = connect(target, "127.0.0.1").on("error", () => {})
    sockets.add(far)
    near.pipe(far).pipe(near)
  })
  yield* Effect.acquireRelease(
    Effect.async<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.async<void>((resume) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resume(Effect.void))
      })
  )
  const address = server.address()
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    tries: () => tries,
    leadTo: (port) => void (target = port),
    freeze: () => {
      isFrozen = true
      for (const socket of sockets) socket.unpipe().pause()
    }
  }
})
