/** Finds the port on which processes that are started afterwards are to listen, or why they cannot. */
import { createServer } from "node:net"
import { Effect } from "effect"
import { type Address, cannotListen } from "./listening.ts"

/**
 * Binds the address for a moment and returns its port, a free one for 0. Edges may share a port with each other, and so would the edges of
 * another server that has it already; binding it alone shows that. Also, several edges that ask for port 0 would get different ports.
 */
export const claimPort = (address: Pick<Address, "host" | "port">) =>
  Effect.tryPromise({
    try: () =>
      new Promise<number>((resolve, reject) => {
        const server = createServer()
        server.once("error", reject)
        server.listen({ host: address.host, port: address.port, exclusive: true }, () => {
          const bound = server.address()
          const port = typeof bound === "object" && bound !== null ? bound.port : address.port
          server.close(() => resolve(port))
        })
      }),
    catch: (cause) => cannotListen(address, cause)
  })
