/** For tests: the command `sibyl` as a child process, with its output as text. */
import { type ChildProcess, spawn } from "node:child_process"
import { closeSync, openSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"

const bin = fileURLToPath(new URL("../../bin/sibyl.js", import.meta.url))

/** The runtimes that the server supports. */
export type RuntimeName = "node" | "bun"

/** The executable of a runtime, whichever the test itself runs on. */
export const runtimeBinary = (name: RuntimeName): string => {
  const current = typeof globalThis.Bun === "undefined" ? "node" : "bun"
  if (name === current) return process.execPath
  return name === "bun" ? createRequire(import.meta.url).resolve("bun/bin/bun.exe") : "node"
}

/** The runtime of this test, and the command's entry point. */
export const sibylProgram = (): readonly [runtime: string, bin: string] => [process.execPath, bin]

/** The environment of this test without settings of the server, which come from its own folder. */
export const plainEnvironment: Readonly<Record<string, string | undefined>> = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith("SIBYL_"))
)

/** How a server is started beside its command line. */
export interface Starting {
  /** Standard error is written to this file, and is not in the output. */
  readonly logFile?: string
  /** The system lets it open no more files. */
  readonly mostOpenFiles?: number
}

/** A command that gives way to another one, which has the bound. */
const bounded = (mostOpenFiles: number | undefined, command: ReadonlyArray<string>): ReadonlyArray<string> =>
  mostOpenFiles === undefined ? command : ["sh", "-c", `ulimit -n ${mostOpenFiles} && exec "$@"`, "sh", ...command]

/** A running child and what it has printed. */
export class StartedServer {
  readonly #child: ChildProcess
  #output = ""
  readonly exit: Promise<{ readonly code: number | null; readonly signal: string | null }>

  constructor(
    runtime: RuntimeName,
    args: ReadonlyArray<string>,
    cwd: string,
    environment: Readonly<Record<string, string>> = {},
    { logFile, mostOpenFiles }: Starting = {}
  ) {
    const log = logFile === undefined ? "pipe" : openSync(logFile, "a")
    const [command = "", ...rest] = bounded(mostOpenFiles, [runtimeBinary(runtime), bin, ...args])
    this.#child = spawn(command, rest, {
      cwd,
      env: { ...plainEnvironment, ...environment },
      stdio: ["ignore", "pipe", log]
    })
    if (typeof log === "number") closeSync(log)
    const take = (chunk: Buffer): void => {
      this.#output += chunk.toString()
    }
    this.#child.stdout?.on("data", take)
    this.#child.stderr?.on("data", take)
    this.exit = new Promise((resolve) => this.#child.once("exit", (code, signal) => resolve({ code, signal })))
  }

  /** The process id. */
  get pid(): number {
    if (this.#child.pid === undefined) throw new Error("the server could not be started")
    return this.#child.pid
  }

  get output(): string {
    return this.#output
  }

  /** Waits until the output matches; fails with the whole output if the child ends or the time is over first. */
  async until(pattern: RegExp, timeoutMs = 80_000): Promise<RegExpExecArray> {
    const deadline = performance.now() + timeoutMs
    let ended = false
    void this.exit.then(() => {
      ended = true
    })
    for (;;) {
      const match = pattern.exec(this.#output)
      if (match !== null) return match
      if (ended || performance.now() > deadline) throw new Error(`no ${String(pattern)} in:\n${this.#output}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  /** Closes our ends of its output, as a reader that ends does. */
  stopReading(): void {
    this.#child.stdout?.destroy()
    this.#child.stderr?.destroy()
  }

  /** Sends a signal and waits for the end. */
  async stop(signal: NodeJS.Signals = "SIGINT") {
    this.#child.kill(signal)
    return this.exit
  }
}
