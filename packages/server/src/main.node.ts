/** The command line on Node. */
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect } from "effect"
import { commandLine, exitCode } from "./commandLine/commandLine.ts"

const loadListen = () => import("./serve/listen/listenNode.ts").then(({ listenNode }) => listenNode)

NodeRuntime.runMain(commandLine(process.argv, loadListen).pipe(Effect.provide(NodeContext.layer)), {
  disableErrorReporting: true,
  teardown: (exit, onExit) => onExit(exitCode(exit))
})
