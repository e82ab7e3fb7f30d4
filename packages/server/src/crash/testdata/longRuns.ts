/** Runs that take a while, sent again and again, and when each began and ended: what an event delays shows in them. */
import type { ReceivedAnswers } from "./receivedAnswers.ts"
import type { Tenant } from "./site.ts"

interface LongRun {
  readonly url: string
  readonly beganMs: number
  readonly endedMs: number
  readonly status: number
}

/** What is sent. */
export interface LongRunOptions {
  readonly tenant: Tenant
  readonly programs: { readonly exec: string; readonly tally: string }
}

/** The long runs of one project. */
export class LongRuns implements ReceivedAnswers {
  readonly answered = new Map<string, Set<string>>()
  readonly keyed = new Set<string>()
  readonly fed = new Set<string>()
  readonly ended: Array<LongRun> = []
  /** Statuses and bodies that are neither a run's nor a 503. */
  readonly surprises: Array<string> = []
  readonly #options: LongRunOptions
  #made = 0

  constructor(options: LongRunOptions) {
    this.#options = options
  }

  /** Sends one after the other from `clients` clients until the server is gone or `stopped` aborts; runs under way end first. */
  async send(url: string, clients: number, stopped: AbortSignal): Promise<void> {
    const loop = async (): Promise<void> => {
      while (!stopped.aborted && (await this.once(url))) {
        /* on to the next */
      }
    }
    await Promise.all(Array.from({ length: clients }, loop))
  }

  /** How long a run takes that nothing disturbs, in ms: the least that one has taken. */
  get ownMs(): number {
    return Math.min(...this.ended.filter(({ status }) => status === 200).map(({ beganMs, endedMs }) => endedMs - beganMs))
  }

  /** The runs that began before `momentMs` and ended after it, and how long the longest took, in ms; `except`: the server that was the event. */
  across(momentMs: number, except?: string): { readonly runs: number; readonly longestMs: number } {
    const affected = this.ended.filter(
      ({ beganMs, endedMs, status, url }) => status === 200 && url !== except && beganMs <= momentMs && endedMs > momentMs
    )
    return { runs: affected.length, longestMs: Math.max(0, ...affected.map(({ beganMs, endedMs }) => endedMs - beganMs)) }
  }

  /** Sends one. Answers whether the server was there. */
  async once(url: string): Promise<boolean> {
    const { programs, tenant } = this.#options
    this.#made += 1
    const inputs = `long run ${this.#made}`
    const beganMs = performance.now()
    try {
      const response = await fetch(`${url}/execute`, {
        method: "POST",
        headers: { authorization: `Bearer ${tenant.key}`, "content-type": "application/json" },
        body: JSON.stringify({ execProgramId: programs.exec, tallyProgramId: programs.tally, execInputs: inputs })
      })
      const body = await response.text()
      this.ended.push({ url, beganMs, endedMs: performance.now(), status: response.status })
      if (response.status === 200) {
        const { data }: { readonly data: { readonly id: string } } = JSON.parse(body)
        this.answered.set(inputs, new Set([data.id]))
      } else if (response.status !== 503) this.surprises.push(`${response.status} to ${inputs}: ${body}`)
      return true
    } catch {
      return false
    }
  }
}
