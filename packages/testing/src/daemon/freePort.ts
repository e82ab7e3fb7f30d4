/** A port of loopback that nobody listens on, and that the system gives to nobody who asks it for any. */
import { randomInt } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:net"

/**
 * Below those that systems give away, from 32768 on Linux: a server that is started later, or again at the same port, would find one of
 * them taken now and then by whoever has listened on port 0 or connected meanwhile.
 */
const [lowest, end] = [10_000, 32_768]

const isFree = async (port: number): Promise<boolean> => {
  const probe = createServer().listen(port, "127.0.0.1")
  try {
    await once(probe, "listening")
  } catch {
    return false
  }
  probe.close()
  await once(probe, "close")
  return true
}

/** Draws one. Another process that draws may take it before it is used: then try again with another. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(lowest, end)
    if (await isFree(port)) return port
  }
}
