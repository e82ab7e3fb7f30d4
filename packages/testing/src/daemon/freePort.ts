/** A port of loopback that nobody listens on. */
import { once } from "node:events"
import { createServer } from "node:net"

/** Asks the system for one. Another process may take it before it is used: then try again with another. */
export const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, "127.0.0.1")
  await once(probe, "listening")
  const address = probe.address()
  probe.close()
  await once(probe, "close")
  return typeof address === "object" && address !== null ? address.port : 0
}
