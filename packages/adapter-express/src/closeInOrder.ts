/** Closes a connection so that its client can still read what was written. */
import type { Duplex } from "node:stream"

/** How long a client may take to close its side before the connection is destroyed. */
export const goodbyeMs = 2_000

/** Flushes, then ends. Unread input would turn the end into a reset, so it is read and dropped. */
export const closeInOrder = (raw: Duplex): void => {
  raw.resume().end()
  const cut = setTimeout(() => raw.destroy(), goodbyeMs)
  raw.once("close", () => clearTimeout(cut))
}
