/** Which of the servers of a cluster is tried next. */
import type { Server } from "@nats-io/transport-node"

/**
 * The one whose last try is longest ago, so that the one whose connection was lost is the last. By itself the client asks that one again first:
 * of a machine that is frozen or without power it gets no answer, and waits, while others would take it at once. Where there is no
 * difference, the client's own choice, which is the first.
 */
export const nextServer = (pool: ReadonlyArray<Server>): Server | null => {
  const [first, ...others] = pool
  return first === undefined ? null : others.reduce((chosen, one) => (one.lastConnect < chosen.lastConnect ? one : chosen), first)
}
