/** Starts edges on Bun: each listens on the port itself, and the system spreads connections over them. */
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { CannotListen, type ForkEdge, notStarted } from "../listen/listening.ts"

/** Starts processes of the module at `entry`. */
export const forkOnBun = (entry: URL): ForkEdge =>
  Effect.suspend(() =>
    process.platform === "linux"
      ? Effect.try({ try: () => fork(fileURLToPath(entry), [], { serialization: "advanced" }), catch: notStarted })
      : new CannotListen({ message: "on Bun, several edges need Linux, where a port can be shared; on Node they work everywhere" })
  )
