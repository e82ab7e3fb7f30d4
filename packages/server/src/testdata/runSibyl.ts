/** For tests: `sibyl` commands on the runtime of the test, with their output. */
import { type ChildProcess, fork, spawn } from "node:child_process"
import { Socket } from "node:net"
import { fileURLToPath } from "node:url"
import { plainEnvironment, sibylProgram } from "./startedServer.ts"

/** The output and exit code of a command. */
export interface Said {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** How a command is run. */
export interface CommandOptions {
  readonly cwd: string
  /** Added to the test's own environment, which has no settings of the server. */
  readonly env?: Readonly<Record<string, string>>
}

/** Runs one command to its end, in a process of its own as a shell starts it. */
export const spawnSibyl = (args: ReadonlyArray<string>, { cwd, env = {} }: CommandOptions): Promise<Said> =>
  new Promise((resolve, reject) => {
    const [runtime, bin] = sibylProgram()
    const child = spawn(runtime, [bin, ...args], {
      cwd,
      env: { ...plainEnvironment, ...env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    const texts = { stdout: "", stderr: "" }
    child.stdout.on("data", (chunk: Buffer) => {
      texts.stdout += chunk.toString()
    })
    child.stderr.on("data", (chunk: Buffer) => {
      texts.stderr += chunk.toString()
    })
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, ...texts }))
  })

/** A process with the command line loaded, which runs the commands it is sent. */
class CommandHost {
  readonly #child: ChildProcess
  readonly #asked = new Map<number, readonly [resolve: (said: Said) => void, reject: (cause: Error) => void]>()
  #count = 0

  constructor() {
    const env = Object.fromEntries(Object.entries(plainEnvironment).filter(([, value]) => value !== undefined))
    const script = fileURLToPath(new URL("commandHost.mjs", import.meta.url))
    this.#child = fork(script, [], { env, execArgv: [], stdio: ["ignore", "ignore", "pipe", "ipc"] })
    const troubles: Array<string> = []
    this.#child.stderr?.on("data", (chunk: Buffer) => void troubles.push(chunk.toString()))
    this.#child.on("message", (message: "ready" | (Said & { readonly id: number })) => {
      if (message === "ready") return
      const { id, ...said } = message
      this.#asked.get(id)?.[0](said)
      this.#asked.delete(id)
    })
    this.#child.once("exit", (code) => {
      for (const [, reject] of this.#asked.values())
        reject(new Error(`the process of the commands ended with ${code}: ${troubles.join("")}`))
    })
    // It ends with the test process, and does not keep it alive.
    this.#child.unref()
    // On Bun the channel keeps no process alive, and has no `unref`.
    const channel: { readonly unref?: () => void } | null | undefined = this.#child.channel
    channel?.unref?.()
    if (this.#child.stderr instanceof Socket) this.#child.stderr.unref()
  }

  run(args: ReadonlyArray<string>, { cwd, env = {} }: CommandOptions): Promise<Said> {
    this.#count += 1
    const id = this.#count
    return new Promise((resolve, reject) => {
      this.#asked.set(id, [resolve, reject])
      this.#child.send({ id, args, cwd, env: { ...plainEnvironment, ...env } })
    })
  }
}

let host: CommandHost | undefined

/**
 * Runs one command to its end, in one process that such commands share, because most of a command's time is loading
 * modules. `commandLine.test.ts` checks that `spawnSibyl` gives the same. What one of them has taken for a secret is hidden in the output of
 * every later one, of other files' tests too: a password that is given here must not be a word of any message.
 */
export const runSibyl = (args: ReadonlyArray<string>, options: CommandOptions): Promise<Said> =>
  (host ??= new CommandHost()).run(args, options)

/** Runs one command with `--json` and reads its document; a command that fails is an error. */
export const askSibyl = async (args: ReadonlyArray<string>, options: CommandOptions): Promise<unknown> => {
  const { code, stderr, stdout } = await runSibyl([...args, "--json"], options)
  if (code !== 0 || stdout.split("\n").length !== 2) {
    throw new Error(`sibyl ${args.join(" ")} ended with ${code}: ${stdout}${stderr}`)
  }
  return JSON.parse(stdout)
}
