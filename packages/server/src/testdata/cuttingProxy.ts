/** For tests: a proxy on loopback whose connections can be cut, and whose server can be another one. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** A listening proxy. */
export interface CuttingProxy {
  readonly url: string
  /** Ends all connections in both directions, at once. */
  readonly cut: () => void
  /** New connections go to this server. */
  readonly pointAt: (url: string) => void
  readonly close: () => Promise<void>
}

/** Starts a proxy before a server. */
export const startCuttingProxy = async (url: string): Promise<CuttingProxy> => {
  let port = Number(new URL(url).port)
  const sockets = new Set<Socket>()
  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
    return socket.on("error", () => socket.destroy())
  }
  const server = createServer((client) => {
    const service = keep(connect(port, "127.0.0.1"))
    keep(client).pipe(service).pipe(client)
    for (const [one, other] of [
      [client, service],
      [service, client]
    ] as const)
      one.on("close", () => other.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    pointAt: (other) => (port = Number(new URL(other).port)),
    close: async () => {
      cut()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}
