/** Finds the NATS server that is installed on this machine. */
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import { Effect } from "effect"
import { CommandFailed } from "../output/failure.ts"

/** Packages install it outside of the PATH of plain users. */
const usualFolders = ["/usr/sbin", "/usr/local/bin"]

const missing = new CommandFailed({
  message:
    "nats-server was not found. Install it (Debian: apt-get install nats-server; others: https://nats.io/download), " +
    "or name one that runs: --cluster nats://HOST:PORT"
})

/** The first program of the folders of a PATH, then of the usual ones. */
export const natsProgram = (path: string, elsewhere: ReadonlyArray<string> = usualFolders): Effect.Effect<string, CommandFailed> =>
  Effect.fromNullable(
    [...path.split(delimiter).filter((folder) => folder !== ""), ...elsewhere]
      .map((folder) => join(folder, "nats-server"))
      .find((program) => existsSync(program))
  ).pipe(Effect.mapError(() => missing))
