/** A real server under attack: one tenant attacks it; meanwhile another process sends requests of a second tenant and to `/health`. */
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { auditPrograms } from "@sibyl/testing"
import { type RunningServer, Site, type Tenant } from "../../crash/testdata/site.ts"
import { MemoryWatch } from "./memoryWatch.ts"

/** What was measured during an attack. Times in ms, in the order of the requests. */
export interface Bystanding {
  readonly healthMs: ReadonlyArray<number>
  /** Runs of the bystander, a tenant with no part in the attack. */
  readonly runMs: ReadonlyArray<number>
  /** Every answer other than 200, and every unanswered request. */
  readonly troubles: ReadonlyArray<string>
  /** The server's peak memory. */
  readonly worstBytes: number
}

/** The targets during any attack. A test allows ten times the durations and more, because it may run beside other work. */
export const wantedUnderAttack = { healthMs: 250, runMs: 2_000, worstBytes: 1.5e9 } as const

/** The largest of some figures; 0 of none. */
export const worstOf = (figures: ReadonlyArray<number>): number => figures.reduce((a, b) => Math.max(a, b), 0)

/** Memory at which the server is killed, so that a successful attack does not exhaust the machine's. */
const killAboveBytes = 3e9

/** A started server, an attacker and a bystander. */
export class AttackedServer {
  readonly url: string
  readonly site: Site
  readonly server: RunningServer
  readonly attacker: Tenant
  readonly bystander: Tenant
  /** The program that the bystander runs; it returns its inputs. */
  readonly echo: string

  /** The ids of the attacker's programs, in their order. */
  readonly programIds: ReadonlyArray<string>

  private constructor(
    site: Site,
    server: RunningServer,
    tenants: readonly [attacker: Tenant, bystander: Tenant],
    [echo = "", ...programIds]: ReadonlyArray<string>
  ) {
    this.site = site
    this.server = server
    this.url = server.url
    ;[this.attacker, this.bystander] = tenants
    this.echo = echo
    this.programIds = programIds
  }

  /** Starts `sibyl serve` on SQLite with two workers; the attacker's programs are stored first. */
  static async open(programs: ReadonlyArray<Uint8Array> = [], configuration: object = {}): Promise<AttackedServer> {
    const site = await Site.open("SQLite", { workers: 2, logLevel: "warn", ...configuration })
    const ids: Array<string> = []
    for (const program of [auditPrograms.echo, ...programs]) ids.push(await site.deploy(program))
    const tenants = [await site.tenant(1_000_000_000n), await site.tenant(1_000_000_000n)] as const
    return new AttackedServer(site, await site.start(), tenants, ids)
  }

  /**
   * Runs the attack, and sends requests from another process until it has ended. The bystander runs the trivial program, and in turn
   * with it those of `alsoRun`, which must succeed.
   */
  async during(attack: () => Promise<unknown>, alsoRun: ReadonlyArray<string> = []): Promise<Bystanding> {
    const memory = new MemoryWatch(this.server.process, killAboveBytes)
    const file = fileURLToPath(new URL("bystander.mjs", import.meta.url))
    const bystander = fork(file, [this.url, this.bystander.key, this.echo, ...alsoRun], { execArgv: [] })
    const said = <A>(): Promise<A> =>
      new Promise((resolve, reject) => {
        bystander.once("message", (message) => resolve(message as A))
        bystander.once("error", reject)
      })
    try {
      await said()
      await attack()
      bystander.send("stop")
      const seen = await said<Omit<Bystanding, "worstBytes">>()
      return { ...seen, worstBytes: memory.stop() }
    } finally {
      memory.stop()
      bystander.kill()
    }
  }

  /** One execution with the attacker's key; the answer's status, or the error. */
  async attackWith(programId: string, execInputs = ""): Promise<number | string> {
    const headers = { authorization: `Bearer ${this.attacker.key}`, "content-type": "application/json" }
    const body = JSON.stringify({ execProgramId: programId, execInputs })
    try {
      const response = await fetch(`${this.url}/execute`, { method: "POST", headers, body })
      await response.arrayBuffer()
      return response.status
    } catch (cause) {
      return String(cause)
    }
  }

  /** Kills the server and removes everything. */
  close(): Promise<void> {
    return this.site.close()
  }
}
