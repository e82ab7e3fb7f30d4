/** How a worker process is started, with as few rights as the runtime can take from it. */
import { realpathSync } from "node:fs"
import { dirname } from "node:path"
import { type Ids, unprivilegedIds } from "./unprivileged.ts"

/** What limits a worker process. */
export interface ProcessLimits {
  /** Compiled programs that it keeps. */
  readonly keptPrograms: number
  /** Resident memory beyond which it is ended, in MiB. */
  readonly maxMib: number
}

/** What a worker process knows when it starts. */
export interface ProcessStart extends ProcessLimits {
  /** It ends with this process. */
  readonly serverPid: number
}

/** A command, its arguments, and the user that it runs as if not the server's. */
export interface ProcessCommand {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly ids: Ids | undefined
}

/**
 * Node's permission model: nothing may be written, only its own folder read, and no process started. Bun has none. The flag has lost its
 * prefix on the way from Node 20 to 24.
 */
const permissions = (folder: string): ReadonlyArray<string> => {
  const flag = ["--permission", "--experimental-permission"].find((name) => process.allowedNodeEnvironmentFlags.has(name))
  return process.versions["bun"] !== undefined || flag === undefined ? [] : [flag, `--allow-fs-read=${folder}/`, "--allow-worker"]
}

const quiet = process.versions["bun"] === undefined ? ["--no-warnings", "--no-addons"] : []

/** The command that starts a worker process from its compiled code. */
export const processCommand = (file: string, { keptPrograms, maxMib }: ProcessLimits): ProcessCommand => {
  const path = realpathSync(file)
  return {
    command: process.execPath,
    ids: unprivilegedIds(process.execPath, path),
    args: [...quiet, ...permissions(dirname(path)), path, String(keptPrograms), String(maxMib), String(process.pid)]
  }
}

/** What such a process was started with. */
export const processStartIn = (argv: ReadonlyArray<string>): ProcessStart => ({
  keptPrograms: Number(argv[2]),
  maxMib: Number(argv[3]),
  serverPid: Number(argv[4])
})
