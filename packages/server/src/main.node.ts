/** The command line on Node. */
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect } from "effect"
import { commandLine } from "./commandLine.ts"
import { listenNode } from "./listen/listenNode.ts"

NodeRuntime.runMain(commandLine(process.argv, listenNode).pipe(Effect.provide(NodeContext.layer)), {
  disableErrorReporting: true
})
