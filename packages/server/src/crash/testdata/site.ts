/** A test deployment: a folder with a configuration, a database of either kind, and its servers. */
import { existsSync } from "node:fs"
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Keys, type NewProject, ProgramStore, Provisioning } from "@sibyl/core"
import type { SqlStores } from "@sibyl/sql"
import { whyNoPostgres } from "@sibyl/testing"
import { Effect, Redacted } from "effect"
import { describe } from "vitest"
import { layerStores } from "../../service/stores.ts"
import { type FreshDatabase, freshPostgres } from "../../testdata/freshPostgres.ts"
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

const network = { name: "testnet", chainId: "sibyl-1-test" }

/** The runtime of the test, on which the servers run too. */
export const ownRuntime: RuntimeName = typeof globalThis.Bun === "undefined" ? "node" : "bun"

/** One database and the servers that use it. */
export class Site {
  readonly kind: DatabaseKind
  readonly folder: string
  /** The address, as in the configuration. */
  readonly database: string
  readonly password: string | undefined
  readonly servers: Array<StartedServer> = []
  readonly #draft: string

  private constructor(kind: DatabaseKind, folder: string, postgres?: FreshDatabase) {
    this.kind = kind
    this.folder = folder
    this.database = postgres === undefined ? `sqlite:${join(folder, "sibyl.sqlite")}` : postgres.url
    this.#draft = join(folder, "draft.sqlite")
    this.password = postgres?.password
  }

  /** Creates the folder, a PostgreSQL database if `kind` asks for one, and the configuration. */
  static async open(kind: DatabaseKind, configuration: object = {}): Promise<Site> {
    const folder = await mkdtemp(join(tmpdir(), "sibyl-crash-"))
    const site = new Site(kind, folder, kind === "SQLite" ? undefined : await freshPostgres())
    // An address with a password is better kept out of the configuration.
    await writeFile(join(folder, "database"), `${site.database}\n`, { mode: 0o600 })
    const settings = { databaseFile: "database", network: network.name, chainId: network.chainId, port: 0, workers: 1 }
    await writeFile(join(folder, "sibyl.json"), JSON.stringify({ ...settings, ...configuration }))
    return site
  }

  /** Creates a project with credits and a key. */
  tenant(credits: bigint, project: Partial<NewProject> = {}): Promise<Tenant> {
    return this.#prepare(
      Effect.gen(function* () {
        const provisioning = yield* Provisioning
        const { projectId } = yield* provisioning.createProject({ organizationSlug: "crash", ...project })
        yield* provisioning.grant(projectId, credits)
        const { apiKeyId, key } = yield* (yield* Keys).issue(projectId)
        return { projectId, apiKeyId, key: Redacted.value(key) }
      })
    )
  }

  /** Deploys a program and answers its id. */
  deploy(program: Uint8Array): Promise<string> {
    return this.#prepare(Effect.flatMap(ProgramStore, (programs) => programs.put(program)))
  }

  /** Runs `work` on the stores: on PostgreSQL at any time, on SQLite only before the first start. */
  #prepare<A, E>(work: Effect.Effect<A, E, SqlStores>): Promise<A> {
    const address = Redacted.make(this.kind === "SQLite" ? this.#draft : this.database)
    return Effect.runPromise(Effect.provide(work, layerStores({ address, connections: 2 }, network)))
  }

  /** Starts `sibyl serve` in the folder. */
  async start(): Promise<RunningServer> {
    if (this.kind === "SQLite") await this.#putInPlace()
    const server = new StartedServer(ownRuntime, ["serve", "--json"], this.folder)
    this.servers.push(server)
    const [line] = await server.until(/^\{"(?:url|executor)":.*\}$/m)
    const { url }: { readonly url?: string } = JSON.parse(line)
    if (url === undefined) throw new Error(`no address in ${server.output}`)
    return { url, process: server }
  }

  /**
   * The database is made in another file, and copied with its log: on Node 20 the driver lets go of a closed file only
   * when its statements have been collected, and until then no server would see that it is alone with it.
   */
  async #putInPlace(): Promise<void> {
    const file = join(this.folder, "sibyl.sqlite")
    if (existsSync(file)) return
    for (const end of ["-wal", ""]) if (existsSync(this.#draft + end)) await copyFile(this.#draft + end, file + end)
  }

  /** Kills the running servers and removes the folder. */
  async close(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop("SIGKILL")))
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
