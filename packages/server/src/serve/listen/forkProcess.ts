/** Starts a process that talks with this one, on Node and on Bun. */
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { type ForkEdge, notStarted } from "./listening.ts"

/** Starts processes of the module at `entry`, with a channel for messages in the structured clone format. */
export const forkProcess = (entry: URL): ForkEdge =>
  Effect.try({ try: () => fork(fileURLToPath(entry), [], { serialization: "advanced" }), catch: notStarted })
