/** A real PostgreSQL server for tests and benchmarks: its own data, on loopback, removed with the scope. */
import { Effect, type Scope } from "effect"
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { findPostgres, type PostgresPrograms, whyNoPostgres } from "./postgresPrograms.ts"
import { unprivilegedUser, type UserIds } from "./unprivilegedUser.ts"

/** A running server. */
export interface TestPostgres {
  /** The address of one of its databases, including the password; `postgres` always exists. */
  readonly url: (database: string) => string
  readonly port: number
  readonly password: string
}

/** Options of a server. */
export interface TestPostgresOptions {
  /** Whether a commit waits for the disk: off for tests, on for measurements. */
  readonly fsync?: boolean
  /** Where the folder for the data is created and removed; other users must be able to enter it. Default: `os.tmpdir()`. */
  readonly folder?: string
}

const startTries = 5
const userName = "sibyl"

/**
 * Runs the server until the script's standard input ends: so it stops on request, and also when the process that started it is gone. An
 * interrupt means fast shutdown for the server. Only the server keeps the output open, so that its end is visible there. The script's name
 * is the folder of the data, which is removed last.
 */
const untilInputEnds = '"$@" & server=$!; exec >&- 2>&-; cat >/dev/null; kill -INT $server; wait $server; rm -rf "$0"'

interface Place {
  readonly folder: string
  readonly data: string
  readonly user: UserIds | undefined
}

const makePlace = (parent: string): Place => {
  const folder = mkdtempSync(join(parent, "sibyl-postgres-"))
  const user = unprivilegedUser()
  const data = join(folder, "data")
  mkdirSync(data, { mode: 0o700 })
  if (user !== undefined) for (const path of [folder, data]) chownSync(path, user.uid, user.gid)
  return { folder, data, user }
}

const initialize = async ({ initdb }: PostgresPrograms, { data, folder, user }: Place, password: string) => {
  const passwordFile = join(folder, "password")
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (user !== undefined) chownSync(passwordFile, user.uid, user.gid)
  const access = ["-U", userName, "--pwfile", passwordFile, "--auth=scram-sha-256"]
  const args = ["-D", data, ...access, "--encoding=UTF8", "--locale=C", "--no-sync"]
  await new Promise<void>((resolve, reject) => {
    execFile(initdb, args, { cwd: folder, ...user }, (error, _, stderr) =>
      error === null ? resolve() : reject(new Error(`initdb failed: ${stderr}`))
    )
  })
}

const freePort = async (): Promise<number> => {
  const probe = createServer()
  probe.listen(0, "127.0.0.1")
  await once(probe, "listening")
  const address = probe.address()
  probe.close()
  await once(probe, "close")
  return typeof address === "object" && address !== null ? address.port : 0
}

const isReady = /database system is ready to accept connections/

/** The process once it accepts connections; fails with the server's output if it ends before that. */
const serve = async ({ postgres }: PostgresPrograms, place: Place, port: number, fsync: boolean): Promise<ChildProcess> => {
  const switches = fsync ? [] : ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"]
  const args = ["-D", place.data, "-p", `${port}`, "-k", place.folder, "-c", "listen_addresses=127.0.0.1", ...switches]
  const shell = spawn("/bin/sh", ["-c", untilInputEnds, place.folder, postgres, ...args, "-c", "max_connections=100"], {
    cwd: place.folder,
    stdio: ["pipe", "ignore", "pipe"],
    ...place.user
  })
  const said: Array<string> = []
  const lines = createInterface({ input: shell.stderr })
  await new Promise<void>((resolve, reject) => {
    lines.on("line", (line) => {
      // Only collected until it is ready: afterwards it contains errors that tests provoke.
      if (said.length < 100) said.push(line)
      if (isReady.test(line)) resolve()
    })
    lines.once("close", () => {
      shell.stdin.end()
      reject(new Error(`PostgreSQL did not start: ${said.join("\n")}`))
    })
  })
  return shell
}

const stop = async (shell: ChildProcess): Promise<void> => {
  if (shell.exitCode !== null || shell.signalCode !== null) return
  const ended = once(shell, "exit")
  shell.stdin?.end()
  await ended
}

/** A port that was free may be taken by now: then another is tried. */
const serveSomewhere = async (programs: PostgresPrograms, place: Place, fsync: boolean) => {
  for (let tried = 1; ; tried += 1) {
    const port = await freePort()
    try {
      return { port, shell: await serve(programs, place, port, fsync) }
    } catch (cause) {
      if (tried === startTries) throw cause
    }
  }
}

/**
 * Starts a server that is stopped and removed with the scope. As root it runs as an unprivileged user. Without an installed PostgreSQL it
 * dies: check `whyNoPostgres` before.
 */
export const startPostgres = (options: TestPostgresOptions = {}): Effect.Effect<TestPostgres, never, Scope.Scope> =>
  Effect.gen(function* () {
    const programs = findPostgres()
    if (programs === undefined) return yield* Effect.dieMessage(whyNoPostgres ?? "no PostgreSQL")
    const place = yield* Effect.acquireRelease(
      Effect.sync(() => makePlace(options.folder ?? tmpdir())),
      ({ folder }) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
    const password = randomBytes(12).toString("hex")
    yield* Effect.promise(() => initialize(programs, place, password))
    const { port } = yield* Effect.acquireRelease(
      Effect.promise(() => serveSomewhere(programs, place, options.fsync ?? false)),
      ({ shell }) => Effect.promise(() => stop(shell))
    )
    return { port, password, url: (database) => `postgres://${userName}:${password}@127.0.0.1:${port}/${database}` }
  })
