/** Servers of other programs for tests: on a free port of loopback, ended on request and when the process that started them is gone. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { freePort } from "./freePort.ts"

/** How a server is started. */
export interface DaemonPlan {
  /** For messages. */
  readonly title: string
  /**
   * A shell script that runs the server (its arguments) until its standard input ends. Only the server keeps the output open, so that its end is
   * visible there.
   */
  readonly script: string
  /** The script's name, the program and what it is told, for a port. */
  readonly command: (port: number) => ReadonlyArray<string>
  /** A line of its output that says that it accepts connections. */
  readonly isReady: RegExp
  readonly place?: { readonly cwd?: string; readonly uid?: number; readonly gid?: number }
}

/** A server that runs. */
export interface Daemon {
  readonly port: number
  readonly shell: ChildProcess
  /** What it has said until it was ready. */
  readonly said: ReadonlyArray<string>
}

const startTries = 5

/** Later lines are the errors that tests provoke. */
const mostSaid = 100

/** Starts it at a port. Rejects with what it has said if it ends before it is ready. */
export const startDaemon = async ({ command, isReady, place, script, title }: DaemonPlan, port: number): Promise<Daemon> => {
  const shell = spawn("/bin/sh", ["-c", script, ...command(port)], { stdio: ["pipe", "ignore", "pipe"], ...place })
  const said: Array<string> = []
  const lines = createInterface({ input: shell.stderr })
  await new Promise<void>((resolve, reject) => {
    lines.on("line", (line) => {
      if (said.length < mostSaid) said.push(line)
      if (isReady.test(line)) resolve()
    })
    lines.once("close", () => {
      shell.stdin.end()
      reject(new Error(`${title} did not start: ${said.join("\n")}`))
    })
  })
  return { port, shell, said }
}

/** Starts it at a free port. One that was free may be taken by the time: then another is tried. */
export const startDaemonSomewhere = async (plan: DaemonPlan): Promise<Daemon> => {
  for (let tried = 1; ; tried += 1) {
    try {
      return await startDaemon(plan, await freePort())
    } catch (cause) {
      if (tried === startTries) throw cause
    }
  }
}

/** Ends it, and waits until it has ended. */
export const endDaemon = async ({ shell }: Daemon): Promise<void> => {
  if (shell.exitCode !== null || shell.signalCode !== null) return
  const ended = once(shell, "exit")
  shell.stdin?.end()
  await ended
}
