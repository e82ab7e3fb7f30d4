/** The command line on Bun. */
import * as BunContext from "@effect/platform-bun/BunContext"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import { Effect } from "effect"
import { commandLine } from "./commandLine.ts"
import { listenBun } from "./listen/listenBun.ts"

BunRuntime.runMain(commandLine(process.argv, listenBun).pipe(Effect.provide(BunContext.layer)), {
  disableErrorReporting: true
})
