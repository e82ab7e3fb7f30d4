/** For tests: `sibyl` serving as child processes, and an operator of its database beside it. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { NewKey } from "@sibyl/core"
import type { Provisioner } from "@sibyl/testing"
import { openSibyl } from "../service/openSibyl.ts"
import type { Sibyl } from "../service/sibyl.ts"
import { childrenOf } from "./childProcesses.ts"
import { type RuntimeName, StartedServer } from "./startedServer.ts"

/** A running server of several processes. */
export class OperatedServer {
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

  /** Starts one on a SQLite file in a folder of its own. `words`: the command, `serve` or `cluster`, and its options. */
  static async start(runtime: RuntimeName, ...words: ReadonlyArray<string>): Promise<OperatedServer> {
    const folder = await mkdtemp(join(tmpdir(), "sibyl-operated-"))
    const process = new StartedServer(runtime, [...words, "--json", "--port", "0"], folder)
    const [line] = await process.until(/^\{"(?:url|executor)":.*\}$/m)
    const { url = "" }: { readonly url?: string } = JSON.parse(line)
    return new OperatedServer(folder, url, process, await openSibyl({ database: join(folder, ".sibyl", "sibyl.sqlite"), workers: 1 }))
  }

  /** What makes the projects and keys of the audits. */
  get provisioner(): Provisioner {
    const { oracle } = this
    return {
      ...oracle,
      issueKey: async (projectId, key?: NewKey) => (await oracle.issueKey(projectId, key)).key
    }
  }

  /** The processes that it has started, such as edges. */
  children(): Promise<ReadonlyArray<number>> {
    return childrenOf(this.process.pid)
  }

  /** Ends the supervisor without grace and removes everything. */
  async close(): Promise<void> {
    await this.process.stop("SIGKILL")
    await this.oracle.close()
    await rm(this.folder, { recursive: true, force: true })
  }
}
