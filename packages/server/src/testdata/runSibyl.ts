/** For tests: one `sibyl` command as a child process on the runtime of the test, and what it said on either stream. */
import { spawn } from "node:child_process"
import { plainEnvironment, sibylProgram } from "./startedServer.ts"

/** What a command said and how it ended. */
export interface Said {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** How a command is run. */
export interface CommandOptions {
  readonly cwd: string
  /** Beside the test's own environment, which has no settings of ours. */
  readonly env?: Readonly<Record<string, string>>
}

/** Runs one command to its end. */
export const runSibyl = (args: ReadonlyArray<string>, { cwd, env = {} }: CommandOptions): Promise<Said> =>
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

/** Runs one command with `--json` and reads its document; a command that fails is an error. */
export const askSibyl = async (args: ReadonlyArray<string>, options: CommandOptions): Promise<unknown> => {
  const { code, stderr, stdout } = await runSibyl([...args, "--json"], options)
  if (code !== 0 || stdout.split("\n").length !== 2) {
    throw new Error(`sibyl ${args.join(" ")} ended with ${code}: ${stdout}${stderr}`)
  }
  return JSON.parse(stdout)
}
