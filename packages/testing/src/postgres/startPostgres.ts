/** A real PostgreSQL server for tests and benchmarks: its own data, on loopback, gone with the scope. */
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
  /** The address of one of its databases, password and all; `postgres` is always there. */
  readonly url: (database: string) => string
  readonly port: number
  readonly password: string
}

/** What a server may be asked for. */
export interface TestPostgresOptions {
  /** Whether a commit waits for the disk: off for tests, which have nothing to lose; on to measure. */
  readonly fsync?: boolean
  /** Where a folder for the data is made and removed; others must be able to enter it. Default: `os.tmpdir()`. */
  readonly folder?: string
}

const startTries = 5
const userName = "sibyl"

/**
 * Runs the server until the script's own input ends: so it stops when it is told to, and also when whoever started it
 * is gone, however that ended. It hears an interrupt as a fast shutdown. Only the server keeps the output open, so that
 * its end shows there. The script's name is the folder of the data, which goes last.
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

/** The process once it takes connections; it fails with what the server said when it ends before that. */
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
      // Kept until it is ready only: afterwards it says what the tests provoke.
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

/** A port that was free a moment ago may be somebody else's by now: then another is tried. */
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
 * Starts a server that is stopped and removed with the scope. As root it runs as an unprivileged user. Where no
 * PostgreSQL is installed it dies: ask `whyNoPostgres` before.
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
