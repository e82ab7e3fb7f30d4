/** Clients of a server that may crash at any moment: they send requests continuously and record every answer. */
import { setTimeout as sleep } from "node:timers/promises"
import { dial, type WireClient } from "@sibyl/testing"
import type { ReceivedAnswers } from "./receivedAnswers.ts"
import type { Random } from "./seededRandom.ts"
import type { Tenant } from "./site.ts"

/** What the clients need. */
export interface ClientOptions {
  readonly tenant: Tenant
  /** A program that returns its inputs, and one that fails. */
  readonly programs: { readonly echo: string; readonly failing: string }
  readonly random: Random
  /** Whether each request has a connection of its own, so that every process of a server gets some. */
  readonly isEachAlone?: boolean
}

interface Request {
  readonly inputs: string
  readonly programId: string
  readonly idempotencyKey: string | undefined
}

interface Answer {
  readonly status: number
  readonly body: string
}

/** The answer of a run, successful or failed. */
const isRun = ({ status }: Answer): boolean => status === 200 || status === 599

const idOf = (body: string): string => {
  const { data }: { readonly data: { readonly id: string } } = JSON.parse(body)
  return data.id
}

/** The clients of one project, across all restarts of its server. */
export class Clients implements ReceivedAnswers {
  readonly answered = new Map<string, Set<string>>()
  readonly keyed = new Set<string>()
  readonly fed = new Set<string>()
  /** How often each status came that is not the answer of a run. */
  readonly refused = new Map<number, number>()
  /** Every unexpected answer, as text. */
  readonly surprises: Array<string> = []
  answers = 0
  readonly #options: ClientOptions
  readonly #waiting = new Set<() => void>()
  /** Requests with an idempotency key that are not answered yet. */
  #owed: Array<Request> = []
  /** Requests with an idempotency key and their answers, to be retried. */
  readonly #kept: Array<readonly [Request, Answer]> = []
  #made = 0

  constructor(options: ClientOptions) {
    this.#options = options
  }

  /** Whether every request with an idempotency key was answered. */
  get isSettled(): boolean {
    return this.#owed.length === 0
  }

  /** Resolves after `more` further answers; rejects after a minute. */
  until(more: number): Promise<void> {
    const goal = this.answers + more
    return new Promise((resolve, reject) => {
      const finish = (end: () => void): void => {
        clearTimeout(timer)
        this.#waiting.delete(look)
        end()
      }
      const look = (): void => {
        if (this.answers >= goal) finish(resolve)
      }
      const late = (): void => reject(new Error(`${this.answers} answers, ${goal} awaited; ${this.surprises.join()}`))
      const timer = setTimeout(() => finish(late), 60_000)
      this.#waiting.add(look)
    })
  }

  /** Sends requests from `clients` concurrent clients until the server is gone or `stopped` aborts. Unanswered requests with a key are retried first. */
  async ask(url: string, clients: number, stopped: AbortSignal): Promise<void> {
    const owed = this.#owed
    this.#owed = []
    const retrying = owed.map((request) => this.#once(url, request))
    const loop = async (): Promise<void> => {
      while (!stopped.aborted && (await this.#once(url, this.#next()))) {
        /* on to the next */
      }
    }
    await Promise.all([...retrying, ...Array.from({ length: clients }, loop)])
  }

  /** The same, but goes on after a lost connection until `stopped` aborts: other processes of the server still answer. */
  async keepAsking(url: string, clients: number, stopped: AbortSignal): Promise<void> {
    const retries: Array<Promise<void>> = []
    const loop = async (): Promise<void> => {
      while (!stopped.aborted) {
        if (await this.#once(url, this.#next())) continue
        if (!stopped.aborted) retries.push(this.settle(url))
        await sleep(20)
      }
    }
    await Promise.all([this.settle(url), ...Array.from({ length: clients }, loop)])
    await Promise.all(retries)
  }

  /** Retries every request that is still unanswered. */
  async settle(url: string): Promise<void> {
    const owed = this.#owed
    this.#owed = []
    await Promise.all(owed.map((request) => this.#once(url, request)))
  }

  /** Retries them until each is answered: under a key that a killed process held, the next request waits for its lease. */
  async settleAll(url: string): Promise<void> {
    for (let tries = 0; tries < 20 && !this.isSettled; tries += 1) {
      await this.settle(url)
      if (!this.isSettled) await sleep(250)
    }
  }

  /** Opens a WebSocket and starts a feed; pass the closed client to `remember` to record its results. */
  async feed(url: string, periodicityMs: number): Promise<WireClient> {
    const headers = { authorization: `Bearer ${this.#options.tenant.key}` }
    const { client } = await dial({ url: `${url}/ws/v1`, headers })
    if (client === undefined) throw new Error("no WebSocket")
    const execute = { execProgramId: this.#options.programs.echo, execInputs: "a feed" }
    const params = { execute, periodicityMs, mode: "FIXED" }
    client.sendText(JSON.stringify({ jsonrpc: "2.0", id: "start", method: "feed.start", params }))
    return client
  }

  /** Records the results that a feed's connection received. */
  remember(client: WireClient): void {
    for (const { json, text } of client.messages) {
      if (json["method"] !== "feed.result") continue
      const { params }: { readonly params: { readonly result?: { readonly data: { readonly id: string } } } } = JSON.parse(text)
      if (params.result !== undefined) this.fed.add(params.result.data.id)
    }
  }

  #next(): Request {
    const { programs, random } = this.#options
    const chance = random(10)
    const again = this.#kept[random(Math.max(1, this.#kept.length))]
    if (chance === 0 && again !== undefined) return again[0]
    this.#made += 1
    const inputs = `request ${this.#made}`
    const idempotencyKey = chance < 5 ? `key-${this.#made}` : undefined
    if (idempotencyKey !== undefined) this.keyed.add(inputs)
    return { inputs, idempotencyKey, programId: chance % 3 === 2 ? programs.failing : programs.echo }
  }

  /** Whether there was an answer. */
  async #once(url: string, request: Request): Promise<boolean> {
    const answer = await this.#post(url, request)
    const isOwed = request.idempotencyKey !== undefined
    if (answer === undefined) {
      if (isOwed) this.#owed.push(request)
      return false
    }
    this.answers += 1
    if (isRun(answer)) this.#take(request, answer)
    else {
      this.refused.set(answer.status, (this.refused.get(answer.status) ?? 0) + 1)
      if (answer.status !== 503) this.surprises.push(`${answer.status} to ${request.inputs}: ${answer.body}`)
      if (isOwed) this.#owed.push(request)
    }
    for (const look of this.#waiting) look()
    return true
  }

  #take(request: Request, answer: Answer): void {
    const ids = this.answered.get(request.inputs) ?? new Set()
    this.answered.set(request.inputs, ids.add(idOf(answer.body)))
    if (request.idempotencyKey === undefined) return
    const first = this.#kept.find(([{ inputs }]) => inputs === request.inputs)
    if (first === undefined) this.#kept.push([request, answer])
    else if (first[1].body !== answer.body || first[1].status !== answer.status) {
      this.surprises.push(`${request.inputs} was answered in two ways`)
    }
  }

  async #post(url: string, { idempotencyKey, inputs, programId }: Request): Promise<Answer | undefined> {
    const headers: Record<string, string> = {
      authorization: `Bearer ${this.#options.tenant.key}`,
      "content-type": "application/json"
    }
    if (this.#options.isEachAlone === true) headers["connection"] = "close"
    if (idempotencyKey !== undefined) headers["idempotency-key"] = idempotencyKey
    const body = JSON.stringify({ execProgramId: programId, execInputs: inputs })
    try {
      const response = await fetch(`${url}/execute`, { method: "POST", headers, body })
      return { status: response.status, body: await response.text() }
    } catch {
      // The server is gone, or was before the answer was complete.
      return undefined
    }
  }
}
