/** For tests: `sibyl serve --edges 2` as child processes, and an operator of its database beside it. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { NewKey } from "@sibyl/core"
import type { OperatorMeans, Provisioner } from "@sibyl/testing"
import { openSibyl, type Sibyl } from "../../../service/openSibyl.ts"
import { childrenOf } from "../../../testdata/childProcesses.ts"
import { type RuntimeName, StartedServer } from "../../../testdata/startedServer.ts"

/** A running server of two edges. */
export class EdgedServer {
  readonly folder: string
  readonly url: string
  readonly process: StartedServer
  /** Opened in the process of the test, on the same database. */
  readonly oracle: Sibyl

  private constructor(folder: string, url: string, process: StartedServer, oracle: Sibyl) {
    this.folder = folder
    this.url = url
    this.process = process
    this.oracle = oracle
  }

  /** Starts one on a SQLite file in a folder of its own, with these words more on its command line. */
  static async start(runtime: RuntimeName, ...words: ReadonlyArray<string>): Promise<EdgedServer> {
    const folder = await mkdtemp(join(tmpdir(), "sibyl-edges-"))
    const process = new StartedServer(runtime, ["serve", "--json", "--edges", "2", "--workers", "2", "--port", "0", ...words], folder)
    const [line] = await process.until(/^\{.*\}$/m)
    const { url = "" }: { readonly url?: string } = JSON.parse(line)
    return new EdgedServer(folder, url, process, await openSibyl({ database: join(folder, ".sibyl", "sibyl.sqlite"), workers: 1 }))
  }

  /** What makes the projects and keys of the audits. */
  get provisioner(): Omit<OperatorMeans, "service"> & Provisioner {
    const { oracle } = this
    return {
      ...oracle,
      // A server refuses to make a project whose usage limit is smaller than any hold, except 0.
      createProject: ({ usageLimit = null, ...project }) =>
        oracle.createProject({ ...project, usageLimit: usageLimit?.credits === 1n ? { ...usageLimit, credits: 0n } : usageLimit }),
      issueKey: async (projectId, key?: NewKey) => (await oracle.issueKey(projectId, key)).key
    }
  }

  /** The processes of its edges. */
  edges(): Promise<ReadonlyArray<number>> {
    return childrenOf(this.process.pid)
  }

  /** Ends the supervisor without grace and removes everything. */
  async close(): Promise<void> {
    await this.process.stop("SIGKILL")
    await this.oracle.close()
    await rm(this.folder, { recursive: true, force: true })
  }
}
