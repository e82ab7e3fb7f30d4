/** The command line on Bun. */
import * as BunContext from "@effect/platform-bun/BunContext"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import { Effect } from "effect"
import { commandLine, exitCode } from "./commandLine/commandLine.ts"

const loadListen = () => import("./serve/listen/listenBun.ts").then(({ listenBun }) => listenBun)

BunRuntime.runMain(commandLine(process.argv, loadListen).pipe(Effect.provide(BunContext.layer)), {
  disableErrorReporting: true,
  teardown: (exit, onExit) => onExit(exitCode(exit))
})
