/** The command line on Bun. */
import * as BunContext from "@effect/platform-bun/BunContext"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import { Effect } from "effect"
import { commandLine, exitCode } from "./commandLine/commandLine.ts"
import { endsWithItsTerminal } from "./commandLine/endsWithItsTerminal.ts"
import type { LoadServerRuntime } from "./serve/listen/listening.ts"

// Bun's fetch obeys HTTP_PROXY for loopback, too, and this asks servers beside it with their keys and tokens.
for (const name of ["NO_PROXY", "no_proxy"]) {
  process.env[name] = [...(process.env[name]?.split(",") ?? []), "127.0.0.1", "localhost", "::1"].join(",")
}

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

endsWithItsTerminal()

BunRuntime.runMain(commandLine(process.argv, loadRuntime).pipe(Effect.provide(BunContext.layer)), {
  disableErrorReporting: true,
  // The command line has a logger of its own.
  disablePrettyLogger: true,
  teardown: (exit, onExit) => onExit(exitCode(exit, process.argv))
})
