/** `sibyl deploy`: the short form of `sibyl program deploy`. */
import { Command } from "@effect/cli"
import { deployOptions, deployWith } from "./program.ts"

/** The command. */
export const deployCommand = Command.make("deploy", deployOptions, deployWith).pipe(
  Command.withDescription("Check a program, say what would not be the same everywhere, and deploy it.")
)
