/** A real server under attack: one tenant attacks it, another one and `/health` are asked all the while from another process. */
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { auditPrograms } from "@sibyl/testing"
import { type RunningServer, Site, type Tenant } from "../../crash/testdata/site.ts"
import { MemoryWatch } from "./memoryWatch.ts"

/** What was seen while an attack went on. Times in ms, in the order of asking. */
export interface Bystanding {
  readonly healthMs: ReadonlyArray<number>
  /** Runs of a tenant that has nothing to do with the attack. */
  readonly runMs: ReadonlyArray<number>
  /** Every answer that was not 200, and every request without one. */
  readonly troubles: ReadonlyArray<string>
  /** The most memory that the server had. */
  readonly worstBytes: number
}

/** The targets during any attack. A test allows ten times the times, because it may run beside other work. */
export const wantedUnderAttack = { healthMs: 250, runMs: 2_000, worstBytes: 1.5e9 } as const

/** The largest of some figures; 0 of none. */
export const worstOf = (figures: ReadonlyArray<number>): number => figures.reduce((a, b) => Math.max(a, b), 0)

/** Memory at which the server is killed: an attack that succeeds must not take the machine. */
const killAboveBytes = 3e9

/** A started server, an attacker and a bystander. */
export class AttackedServer {
  readonly url: string
  readonly site: Site
  readonly server: RunningServer
  readonly attacker: Tenant
  readonly bystander: Tenant
  /** The program that the bystander runs; it gives its inputs back. */
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
    const site = await Site.open("SQLite", { workers: 2, ...configuration })
    const ids: Array<string> = []
    for (const program of [auditPrograms.echo, ...programs]) ids.push(await site.deploy(program))
    const tenants = [await site.tenant(1_000_000_000n), await site.tenant(1_000_000_000n)] as const
    return new AttackedServer(site, await site.start(), tenants, ids)
  }

  /**
   * Runs the attack, and asks from another process until it has ended. The bystander runs the trivial program, and in turn
   * with it those of `alsoRun`, which have to end well.
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

  /** One execution in the attacker's name; the answer's status, or what went wrong. */
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
