/** Connections that Node's cluster sends to an edge which ends before it has them. */
import type { ChildProcess } from "node:child_process"

/** A message of Node's cluster about a connection; the answer names its number. */
const numberOf = (message: unknown): number | undefined =>
  typeof message === "object" && message !== null && "act" in message && message.act === "newconn" && "seq" in message
    ? Number(message.seq)
    : undefined

/**
 * Lets another edge have the connection that was on its way to `edge` when it ended. Node's supervisor sends a process one connection at a time,
 * and keeps it until the process says whether it takes it: for ever, if the process has ended, so that the client would wait without an end. A
 * process says so before it reads from the connection, and "close" comes when all that it said was read: a connection that was not answered for
 * by then is untouched. Such an answer in the edge's place, that it takes none, makes the supervisor send it to the next. These messages are
 * Node's own (20 to 26 have them); where they are others, nothing changes.
 */
export const passOnUndelivered = (edge: ChildProcess): void => {
  let last: number | undefined
  const send = edge.send.bind(edge)
  edge.send = (...of: ReadonlyArray<unknown>): boolean => {
    last = numberOf(of[0]) ?? last
    return Reflect.apply(send, undefined, of)
  }
  edge.once("close", () => {
    // If it had answered for that one, the supervisor does not know the number any more.
    if (last !== undefined) edge.emit("internalMessage", { cmd: "NODE_CLUSTER", ack: last, accepted: false })
  })
}
