/** How the page is connected, whose feeds may have several keys, with a connection each: a plain function. */
import type { ConnectionEvent } from "@sibyl/client"

/** The state of a connection, or of all of them. */
export type ConnectionState = ConnectionEvent["state"]

/** One that is lost is told first; `closed` is what none is needed for. */
export const connectionOf = (states: ReadonlyArray<ConnectionState>): ConnectionState =>
  (["lost", "open"] as const).find((state) => states.includes(state)) ?? "closed"
