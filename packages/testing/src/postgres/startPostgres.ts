/** A real PostgreSQL server for tests and benchmarks: its own data, on loopback, removed with the scope. */
import { Effect, type Scope } from "effect"
import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type DaemonPlan, endDaemon, startDaemonSomewhere } from "../daemon/daemon.ts"
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

const userName = "sibyl"

/**
 * An interrupt means fast shutdown for the server. The script's name is the folder of the data, which is removed last, also when the process
 * that started it is gone.
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

const planOf = ({ postgres }: PostgresPrograms, { data, folder, user }: Place, fsync: boolean): DaemonPlan => {
  const switches = fsync ? [] : ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"]
  const settings = ["-k", folder, "-c", "listen_addresses=127.0.0.1", ...switches, "-c", "max_connections=100"]
  return {
    title: "PostgreSQL",
    script: untilInputEnds,
    command: (port) => [folder, postgres, "-D", data, "-p", `${port}`, ...settings],
    isReady: /database system is ready to accept connections/,
    place: { cwd: folder, ...user }
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
      Effect.promise(() => startDaemonSomewhere(planOf(programs, place, options.fsync ?? false))),
      (daemon) => Effect.promise(() => endDaemon(daemon))
    )
    return { port, password, url: (database) => `postgres://${userName}:${password}@127.0.0.1:${port}/${database}` }
  })
