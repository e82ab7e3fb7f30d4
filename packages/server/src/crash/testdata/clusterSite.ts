/** A test deployment on more than one machine, all on this one: edges on one PostgreSQL, executors, and NATS between them. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startNats, type TestNats } from "@sibyl/testing"
import { Effect, Exit, Scope } from "effect"
import { StartedServer } from "../../testdata/startedServer.ts"
import { ownRuntime, type RunningServer, Site } from "./site.ts"

/** The host that programs ask; it answers after a while. */
export const slowHost = "slow.test"

const openUpstream = (delayMs: number): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer((request, response) => setTimeout(() => response.end(`about ${request.url}`), delayMs))
    server.listen(0, "127.0.0.1", () => resolve(server))
  })

/** Its parts; edges and executors come and go. */
export class ClusterSite {
  readonly site: Site
  readonly nats: TestNats
  readonly executors: Array<StartedServer> = []
  readonly #folder: string
  readonly #scope: Scope.CloseableScope
  readonly #upstream: Server

  private constructor(site: Site, nats: TestNats, folder: string, scope: Scope.CloseableScope, upstream: Server) {
    this.site = site
    this.nats = nats
    this.#folder = folder
    this.#scope = scope
    this.#upstream = upstream
  }

  /** Opens database, NATS and an upstream that answers after `delayMs`; nothing serves yet. */
  static async open(delayMs: number, configuration: object): Promise<ClusterSite> {
    const scope = await Effect.runPromise(Scope.make())
    const nats = await Effect.runPromise(Scope.extend(startNats(), scope))
    const upstream = await openUpstream(delayMs)
    const address = upstream.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const cluster = { servers: [nats.url], places: 64 }
    const site = await Site.open("PostgreSQL", { ...configuration, cluster })
    const folder = await mkdtemp(join(tmpdir(), "sibyl-executors-"))
    const outbound = { hostOverrides: { [slowHost]: `http://127.0.0.1:${port}` } }
    await writeFile(join(folder, "sibyl.json"), JSON.stringify({ cluster, workers: 1, outbound }))
    return new ClusterSite(site, nats, folder, scope, upstream)
  }

  /** Starts an executor; it works. */
  async executor(): Promise<StartedServer> {
    const executor = new StartedServer(ownRuntime, ["executor", "--json"], this.#folder)
    this.executors.push(executor)
    await executor.until(/^\{"executor".*\}$/m)
    return executor
  }

  /** Starts an edge that knows of an executor. */
  async edge(): Promise<RunningServer> {
    const edge = await this.site.start()
    const deadline = performance.now() + 40_000
    while ((await fetch(`${edge.url}/ready`)).status !== 200) {
      if (performance.now() > deadline) throw new Error(`the edge is not ready: ${edge.process.output}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return edge
  }

  /** Kills everything and removes the folders. */
  async close(): Promise<void> {
    await this.site.close()
    await Promise.all(this.executors.map((executor) => executor.stop("SIGKILL")))
    this.#upstream.closeAllConnections()
    this.#upstream.close()
    await Effect.runPromise(Scope.close(this.#scope, Exit.void))
    await rm(this.#folder, { recursive: true, force: true })
  }
}
