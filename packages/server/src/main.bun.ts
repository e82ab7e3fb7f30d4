/** The command line on Bun. */
import * as BunContext from "@effect/platform-bun/BunContext"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import { Effect } from "effect"
import { commandLine, exitCode } from "./commandLine/commandLine.ts"
import type { LoadServerRuntime } from "./serve/listen/listening.ts"

const loadRuntime: LoadServerRuntime = async () => {
  const [{ listenBun }, { forkOnBun }, { forkProcess }] = await Promise.all([
    import("./serve/listen/listenBun.ts"),
    import("./serve/edges/forkOnBun.ts"),
    import("./serve/listen/forkProcess.ts")
  ])
  return {
    listen: listenBun,
    forkEdge: forkOnBun(new URL("./main.bunEdge.js", import.meta.url)),
    forkExecutor: forkProcess(new URL("./main.executor.js", import.meta.url))
  }
}

BunRuntime.runMain(commandLine(process.argv, loadRuntime).pipe(Effect.provide(BunContext.layer)), {
  disableErrorReporting: true,
  // The command line has a logger of its own.
  disablePrettyLogger: true,
  teardown: (exit, onExit) => onExit(exitCode(exit))
})
