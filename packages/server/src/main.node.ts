/** The command line on Node. */
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect } from "effect"
import { commandLine, exitCode } from "./commandLine/commandLine.ts"
import { endOfCommand } from "./commandLine/endOfCommand.ts"
import { endsWithItsTerminal } from "./commandLine/endsWithItsTerminal.ts"
import type { LoadServerRuntime } from "./serve/listen/listening.ts"

const loadRuntime: LoadServerRuntime = async () => {
  const [{ listenNode }, { forkOnNode }, { forkProcess }] = await Promise.all([
    import("./serve/listen/listenNode.ts"),
    import("./serve/edges/forkOnNode.ts"),
    import("./serve/listen/forkProcess.ts")
  ])
  return {
    listen: listenNode,
    forkEdge: forkOnNode(new URL("./main.nodeEdge.js", import.meta.url)),
    forkExecutor: forkProcess(new URL("./main.executor.js", import.meta.url))
  }
}

endsWithItsTerminal()

NodeRuntime.runMain(commandLine(process.argv, loadRuntime).pipe(Effect.provide(NodeContext.layer)), {
  disableErrorReporting: true,
  // The command line has a logger of its own.
  disablePrettyLogger: true,
  teardown: (exit, onExit) => endOfCommand(exitCode(exit, process.argv), onExit)
})
