/** Whether there is something at a path, which an operator names. */
import { foundAt } from "@sibyl/sql"
import { Effect } from "effect"
import { CommandFailed } from "../output/failure.ts"

/** Fails where it may not be looked for. */
export const isAt = (path: string): Effect.Effect<boolean, CommandFailed> =>
  Effect.try({
    try: () => foundAt(path) !== undefined,
    catch: (cause) => new CommandFailed({ message: cause instanceof Error ? cause.message : String(cause) })
  })
