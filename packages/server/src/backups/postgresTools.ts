/** The client programs of PostgreSQL: where they are, which version they have, and how they are run. */
import { spawn } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { delimiter, join } from "node:path"
import { Effect, Redacted } from "effect"
import { CommandFailed } from "../output/failure.ts"

/** The programs that are used. */
export type PostgresTool = "pg_dump" | "pg_restore"

/** Debian and its derivatives install the programs of each major version here, outside of the PATH. */
const versionsFolder = "/usr/lib/postgresql"

const foldersOf = (): ReadonlyArray<string> => [
  ...(existsSync(versionsFolder) ? readdirSync(versionsFolder).map((version) => join(versionsFolder, version, "bin")) : []),
  ...(process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "")
]

/** What a program printed and how it ended. */
interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const mostOutput = 100_000

const notRun = (program: string, cause: unknown): CommandFailed =>
  new CommandFailed({ message: `cannot run ${program}: ${cause instanceof Error ? cause.message : String(cause)}` })

/** On Bun, what is no program is a throw instead of an event. */
const started = (program: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  Effect.try({
    try: () => spawn(program, args, { env: { ...process.env, LC_ALL: "C", ...env }, stdio: ["ignore", "pipe", "pipe"] }),
    catch: (cause) => notRun(program, cause)
  })

const run = (program: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>>): Effect.Effect<Ended, CommandFailed> =>
  Effect.flatMap(started(program, args, env), (child) =>
    Effect.async((resume) => {
      const said = { stdout: "", stderr: "" }
      child.stdout.on("data", (chunk: Buffer) => void (said.stdout = (said.stdout + chunk.toString()).slice(-mostOutput)))
      child.stderr.on("data", (chunk: Buffer) => void (said.stderr = (said.stderr + chunk.toString()).slice(-mostOutput)))
      child.once("error", (cause) => resume(notRun(program, cause)))
      child.once("close", (code) => resume(Effect.succeed({ code, ...said })))
      return Effect.promise(async () => {
        const ended = new Promise((resolve) => child.once("close", resolve))
        if (child.exitCode === null && child.kill("SIGTERM")) await ended
      })
    })
  )

const versionOf = (program: string): Effect.Effect<number> =>
  run(program, ["--version"], {}).pipe(
    Effect.map(({ stdout }) => Number(/ (\d+)(?:[.\s]|devel|beta|rc)/.exec(stdout)?.[1] ?? 0)),
    Effect.orElseSucceed(() => 0)
  )

/** The program of the server's own major version, else the oldest newer one: an older one refuses the server. */
export const findTool = (tool: PostgresTool, serverVersion: number, folders = foldersOf()): Effect.Effect<string, CommandFailed> =>
  Effect.gen(function* () {
    const programs = folders.map((folder) => join(folder, tool)).filter((program) => existsSync(program))
    const versions = yield* Effect.forEach(programs, (program) => Effect.map(versionOf(program), (version) => ({ program, version })))
    const fit = versions.filter(({ version }) => version >= serverVersion).sort((left, right) => left.version - right.version)
    const [best] = fit
    if (best !== undefined) return best.program
    const found = versions.length === 0 ? "none was found" : `those found are of ${versions.map(({ version }) => version).join(" and ")}`
    return yield* new CommandFailed({
      message: `${tool} of PostgreSQL ${serverVersion} or newer is needed, ${found}: install postgresql-client-${serverVersion} (Debian, Ubuntu) or postgresql${serverVersion} (Fedora)`
    })
  })

/** What the address says of TLS, and the variable of these programs for it. */
const tlsVariables = { sslmode: "PGSSLMODE", sslrootcert: "PGSSLROOTCERT", sslcert: "PGSSLCERT", sslkey: "PGSSLKEY" }

/** The mode that only the driver knows, in the words of these programs. */
const modeOfTools = (mode: string): string => (mode === "no-verify" ? "require" : mode)

const tlsOf = (said: URLSearchParams): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(tlsVariables).flatMap(([name, variable]) => {
      const value = said.get(name)
      return value === null ? [] : [[variable, name === "sslmode" ? modeOfTools(value) : value]]
    })
  )

/** The address as the environment of these programs, so that no process list shows the password. */
export const environmentOf = (address: Redacted.Redacted): Readonly<Record<string, string>> => {
  const { hostname, password, pathname, port, searchParams, username } = new URL(Redacted.value(address))
  return {
    PGHOST: decodeURIComponent(hostname).replace(/^\[(.*)\]$/, "$1"),
    PGPORT: port === "" ? "5432" : port,
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
    ...tlsOf(searchParams)
  }
}

/** The name of the database in an address. */
export const databaseName = (address: Redacted.Redacted): string => environmentOf(address)["PGDATABASE"] ?? ""

/** Runs a program on a database. Its failure is told with its own last words, which have no password. */
export const runTool = (program: string, args: ReadonlyArray<string>, address: Redacted.Redacted): Effect.Effect<void, CommandFailed> =>
  Effect.flatMap(run(program, args, environmentOf(address)), ({ code, stderr }) =>
    code === 0
      ? Effect.void
      : new CommandFailed({ message: `${program} failed: ${stderr.trim().split("\n").slice(-3).join(" ") || `exit code ${code}`}` })
  )
