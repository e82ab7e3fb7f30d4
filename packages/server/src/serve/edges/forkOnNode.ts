/** Starts edges on Node: its cluster accepts connections in the supervisor and deals them out in turn. */
import cluster from "node:cluster"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { type ForkEdge, notStarted } from "../listen/listening.ts"
import { passOnUndelivered } from "./undelivered.ts"

/** Starts processes of the module at `entry`. */
export const forkOnNode = (entry: URL): ForkEdge =>
  Effect.try({
    try: () => {
      // The system itself would give most connections to the same few processes, and a WebSocket stays where it was opened.
      cluster.schedulingPolicy = cluster.SCHED_RR
      cluster.setupPrimary({ exec: fileURLToPath(entry), args: [], serialization: "advanced" })
      const edge = cluster.fork().process
      passOnUndelivered(edge)
      return edge
    },
    catch: notStarted
  })
