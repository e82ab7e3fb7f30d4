/** A place where servers run for a test: a folder with a configuration, a database of either kind, and its servers. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startPostgres, type TestPostgres, whyNoPostgres } from "@sibyl/testing"
import { Effect, Exit, Schema, Scope } from "effect"
import { describe } from "vitest"
import { askSibyl } from "../../testdata/runSibyl.ts"
import { type RuntimeName, StartedServer } from "../../testdata/startedServer.ts"

/** The databases that servers run on. */
export type DatabaseKind = "SQLite" | "PostgreSQL"

/** A server that answers. */
export interface RunningServer {
  readonly url: string
  readonly process: StartedServer
}

/** A project with a key. */
export interface Tenant {
  readonly projectId: string
  readonly apiKeyId: string
  readonly key: string
}

const network = "testnet"

const readProject = Schema.decodeUnknownSync(Schema.Struct({ projectId: Schema.String }))
const readKey = Schema.decodeUnknownSync(Schema.Struct({ apiKeyId: Schema.String, key: Schema.String }))
const readProgram = Schema.decodeUnknownSync(Schema.Struct({ programId: Schema.String }))

/** The runtime of the test, on which the servers run too. */
export const ownRuntime: RuntimeName = typeof globalThis.Bun === "undefined" ? "node" : "bun"

/** One database and everything that is started at it. */
export class Site {
  readonly kind: DatabaseKind
  readonly folder: string
  /** The address, as the configuration says it. */
  readonly database: string
  readonly password: string | undefined
  readonly servers: Array<StartedServer> = []
  readonly #scope: Scope.CloseableScope
  #programs = 0

  private constructor(kind: DatabaseKind, folder: string, scope: Scope.CloseableScope, postgres?: TestPostgres) {
    this.kind = kind
    this.folder = folder
    this.database = postgres === undefined ? `sqlite:${join(folder, "sibyl.sqlite")}` : postgres.url("postgres")
    this.password = postgres?.password
    this.#scope = scope
  }

  /** Makes the folder, starts a PostgreSQL if that is asked for, and writes the configuration. */
  static async open(kind: DatabaseKind, configuration: object = {}): Promise<Site> {
    const folder = await mkdtemp(join(tmpdir(), "sibyl-crash-"))
    const scope = await Effect.runPromise(Scope.make())
    const postgres = kind === "SQLite" ? undefined : await Effect.runPromise(Scope.extend(startPostgres(), scope))
    const site = new Site(kind, folder, scope, postgres)
    // An address with a password is better kept out of the configuration.
    await writeFile(join(folder, "database"), `${site.database}\n`, { mode: 0o600 })
    const settings = { databaseFile: "database", network, chainId: "sibyl-1-test", port: 0, workers: 1 }
    await writeFile(join(folder, "sibyl.json"), JSON.stringify({ ...settings, ...configuration }))
    return site
  }

  /** Runs a command of ours at this database and answers its document. */
  command(...args: ReadonlyArray<string>): Promise<unknown> {
    return askSibyl(args, { cwd: this.folder })
  }

  /** Makes a project with credits and a key. */
  async tenant(credits: bigint, ...options: ReadonlyArray<string>): Promise<Tenant> {
    const { projectId } = readProject(await this.command("project", "create", "--org", "crash", ...options))
    const [key] = await Promise.all([
      this.command("key", "create", projectId),
      this.command("credits", "grant", projectId, `${credits}`)
    ])
    return { projectId, ...readKey(key) }
  }

  /** Deploys a program and answers its id. */
  async deploy(program: Uint8Array): Promise<string> {
    this.#programs += 1
    const file = join(this.folder, `program-${this.#programs}.wasm`)
    await writeFile(file, program)
    return readProgram(await this.command("program", "deploy", file)).programId
  }

  /** Starts `sibyl serve` in the folder. */
  async start(): Promise<RunningServer> {
    const server = new StartedServer(ownRuntime, ["serve", "--json"], this.folder)
    this.servers.push(server)
    const [line] = await server.until(/^\{.*\}$/m)
    const { url }: { readonly url?: string } = JSON.parse(line)
    if (url === undefined) throw new Error(`no address in ${server.output}`)
    return { url, process: server }
  }

  /** Kills what still runs and removes everything. */
  async close(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop("SIGKILL")))
    await Effect.runPromise(Scope.close(this.#scope, Exit.void))
    await rm(this.folder, { recursive: true, force: true })
  }
}

/** Defines the same tests on every kind of database; those on PostgreSQL are skipped, with the reason, without one. */
export const describeKinds = (title: string, define: (kind: DatabaseKind) => void): void => {
  describe(`${title}, on SQLite`, () => define("SQLite"))
  describePostgres(title, () => define("PostgreSQL"))
}

/** Defines tests that only make sense on PostgreSQL. */
export const describePostgres = (title: string, define: () => void): void => {
  const skipped = whyNoPostgres === undefined ? "" : ` (skipped: ${whyNoPostgres})`
  describe.skipIf(whyNoPostgres !== undefined)(`${title}, on PostgreSQL${skipped}`, define)
}
