/** Ends a connection in a way that lets its client read what was written. */
import type { Duplex } from "node:stream"

/** How long a client may take to answer the end of its connection before it is cut. */
export const goodbyeMs = 2_000

/** Sends what waits, then the end. Bytes that nobody has read would turn the end into a reset, so they are read and dropped. */
export const closeInOrder = (raw: Duplex): void => {
  raw.resume().end()
  const cut = setTimeout(() => raw.destroy(), goodbyeMs)
  raw.once("close", () => clearTimeout(cut))
}
