/** One sequence under way: its projects and keys, its sockets, its time, and the history that it writes. */
import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { auditedCredits } from "../../audits/provision/preparedKeys.ts"
import type { Who } from "../commands/command.ts"
import { HistoryDraft, type Open, type OpenSocketHistory } from "../history/draft.ts"
import type { KeyHistory, RestAnswer, RestCall, SocketHistory } from "../history/history.ts"
import { parsed, textAt } from "../history/json.ts"
import { HeardIds } from "./heardIds.ts"
import type { TrafficTarget } from "./trafficTarget.ts"
import { networkWire, type TrafficWire, type WireSocket } from "./trafficWire.ts"

/** A socket of the sequence. */
export interface SessionSocket {
  readonly history: OpenSocketHistory
  /** Absent while it is opened, and after a refusal. */
  wire: WireSocket | undefined
}

/** A socket that was asked for. */
interface Dialled {
  readonly socket: SessionSocket
  readonly opening: Promise<void>
}

/** A REST request without what the session adds. */
export type SessionCall = Pick<RestCall, "step" | "method" | "path"> &
  Partial<Pick<RestCall, "query" | "headers" | "body">> & { readonly key: string | undefined }

/** The subprotocol of the interface, and what begins the one that carries a ticket (decision D52). */
const [webSocketProtocol, ticketProtocolPrefix] = ["sibyl.v1", "sibyl.ticket."] as const

const [firstStepMs, longestStepMs] = [1, 50]

/** The credits of a project of its own: for most sequences enough, for some not, which shows refusals. */
const grantedCredits = [auditedCredits, 700n] as const

const encoded = (query: RestCall["query"]): string =>
  query.length === 0 ? "" : `?${query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&")}`

/** An error with its causes: what a runtime's fetch says by itself is not enough. */
const causeText = (cause: unknown): string =>
  cause instanceof Error && cause.cause !== undefined ? `${cause.message}: ${causeText(cause.cause)}` : String(cause)

/** What carries a sequence out, and writes down what comes. */
export class Session {
  readonly target: TrafficTarget
  readonly draft: HistoryDraft
  readonly heard: HeardIds
  readonly sockets: Array<SessionSocket> = []
  /** The id of each tenant's project, once it is known. */
  readonly projectIds: Array<string | undefined> = []
  /** Idempotency keys of a project that has a past end with this, so that earlier sequences have not used them. */
  readonly keySuffix: string
  readonly #wire: TrafficWire
  readonly #pending = new Set<Promise<void>>()

  constructor(target: TrafficTarget, programs: Readonly<Record<string, string>>) {
    this.target = target
    this.#wire = target.wire ?? networkWire(target)
    this.keySuffix = target.operator === undefined ? `-${randomUUID()}` : ""
    this.draft = new HistoryDraft(() => this.nowMs())
    this.heard = new HeardIds(programs)
  }

  /** Milliseconds of the client's clock. */
  nowMs(): number {
    return this.target.clock?.nowMs() ?? performance.now()
  }

  /** Gives each tenant a key: of a project of its own, if there is an operator. */
  async #makeTenants(): Promise<void> {
    const { apiKey, operator, otherTenantKey } = this.target
    const given = [apiKey, otherTenantKey].filter((key) => key !== undefined)
    const keys = operator === undefined ? given : await Promise.all(grantedCredits.map((credits) => operator.makeKey({ credits })))
    for (const [tenant, text] of keys.entries()) this.addKey(tenant, text)
  }

  /** Adds a key of a tenant. */
  addKey(tenant: number, text: string): void {
    this.draft.keys.push({ text, tenant, revoked: undefined })
  }

  /** The keys of a tenant. */
  keysOf(tenant: number): ReadonlyArray<Open<KeyHistory>> {
    return this.draft.keys.filter((key) => key.tenant === tenant)
  }

  /** A key of the tenant that was not revoked. */
  validKeyOf(tenant: number): string | undefined {
    return this.keysOf(tenant).find(({ revoked }) => revoked === undefined)?.text
  }

  /** The tenants. */
  get tenants(): ReadonlyArray<number> {
    return [...new Set(this.draft.keys.map(({ tenant }) => tenant))]
  }

  /** The key that a command means. */
  keyOf(who: Who): string | undefined {
    if (who === "nobody") return undefined
    if (who === "a garbled key") return "garbled"
    if (who === "a stranger") {
      const [some] = this.keysOf(0)
      // The right form, where the form is a word, a network and an id.
      return some?.text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, randomUUID()).replace(/.$/, (last) => (last === "0" ? "1" : "0")) ?? "stranger"
    }
    const keys = this.keysOf(who.tenant)
    return keys[who.key % keys.length]?.text
  }

  #tenantOf(key: string | undefined): number | undefined {
    return this.draft.keys.find(({ text }) => text === key)?.tenant
  }

  /** Lets time pass. */
  async pass(ms: number): Promise<void> {
    const { clock } = this.target
    await (clock === undefined ? sleep(ms) : clock.pass(ms))
  }

  /** Waits until something holds, at most for so long; returns whether it does. */
  async until(holds: () => boolean, patienceMs: number): Promise<boolean> {
    const untilMs = this.nowMs() + patienceMs
    await this.pass(0)
    for (let stepMs = firstStepMs; !holds() && this.nowMs() < untilMs; stepMs = Math.min(longestStepMs, stepMs * 2)) await this.pass(stepMs)
    return holds()
  }

  /** Sends a REST request. What is written down gets its answer when it comes. */
  ask({ body, headers = {}, key, query = [], ...call }: SessionCall): Open<RestCall> {
    const sent = this.draft.moment()
    const written: Open<RestCall> = {
      ...call,
      key,
      tenant: this.#tenantOf(key),
      query,
      headers,
      body,
      sent,
      answer: undefined,
      lost: undefined
    }
    this.draft.calls.push(written)
    const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` }
    const hear = async (): Promise<void> => {
      const answer = await this.#wire.ask({
        method: call.method,
        path: call.path + encoded(query),
        headers: { ...headers, ...authorization },
        body
      })
      written.answer = { ...this.draft.moment(), ...answer }
      this.heard.hear(answer.text)
    }
    // Without an answer: the history says so, and the auditor whether it may be.
    const done = hear().catch((cause: unknown) => {
      written.lost = causeText(cause)
    })
    this.#pending.add(done)
    void done.finally(() => this.#pending.delete(done))
    return written
  }

  /** Whether no request is under way any more. */
  get isQuiet(): boolean {
    return this.#pending.size === 0
  }

  /** Sends a REST request and waits for what comes of it. */
  async askAndWait(call: SessionCall, patienceMs: number): Promise<RestAnswer | undefined> {
    const written = this.ask(call)
    const done = [...this.#pending].at(-1)
    let isDone = false
    void done?.finally(() => (isDone = true))
    await this.until(() => isDone, patienceMs)
    return written.answer
  }

  /** The key with which a ticket was asked for. */
  #keyOfTicket(ticket: string): string | undefined {
    const isAnswer = ({ answer, path }: RestCall): boolean =>
      path === "/tickets" && answer?.status === 201 && textAt(parsed(answer.text), "ticket") === ticket
    return this.draft.calls.find(isAnswer)?.key
  }

  /** Opens a socket. */
  connect(step: number | undefined, key: string | undefined): Promise<SessionSocket> {
    return this.#whenOpened(this.#dial({ step, key }, key === undefined ? {} : { authorization: `Bearer ${key}` }))
  }

  /** Opens sockets by a ticket, so many at once. */
  async present(step: number, ticket: string, times: number, origin: string | undefined): Promise<void> {
    const headers = {
      "sec-websocket-protocol": `${webSocketProtocol}, ${ticketProtocolPrefix}${ticket}`,
      ...(origin === undefined ? {} : { origin })
    }
    const facts = { step, key: this.#keyOfTicket(ticket), ticket, origin }
    const dialled = Array.from({ length: times }, () => this.#dial(facts, headers))
    for (const one of dialled) await this.#whenOpened(one)
  }

  /** Asks for a socket, and does not wait for it. */
  #dial(asking: Pick<SocketHistory, "step" | "key" | "ticket" | "origin">, headers: Readonly<Record<string, string>>): Dialled {
    const facts = { ...asking, tenant: this.#tenantOf(asking.key), asked: this.draft.moment() }
    const history: OpenSocketHistory = { ...facts, refused: undefined, opened: undefined, sent: [], heard: [], ended: undefined }
    this.draft.sockets.push(history)
    const socket: SessionSocket = { history, wire: undefined }
    const ears = {
      heard: (text: string): void => {
        history.opened ??= this.draft.moment()
        history.heard.push({ ...this.draft.moment(), step: undefined, text })
        this.heard.hear(text)
      },
      ended: (code: number): void => {
        history.ended ??= { ...this.draft.moment(), by: "service", code }
      }
    }
    const open = async (): Promise<void> => {
      const wire = await this.#wire.connect(headers, ears)
      if (typeof wire === "number") history.refused = { ...this.draft.moment(), status: wire }
      else {
        socket.wire = wire
        history.opened ??= this.draft.moment()
      }
    }
    return { socket, opening: open().catch(() => {}) }
  }

  async #whenOpened({ opening, socket }: Dialled): Promise<SessionSocket> {
    const { history } = socket
    let isDone = false
    void opening.finally(() => (isDone = true))
    await this.until(() => isDone, 20_000)
    if (socket.wire !== undefined) {
      this.sockets.push(socket)
      await this.until(() => history.heard.length > 0 || history.ended !== undefined, 20_000)
    }
    return socket
  }

  /** The sockets that are open. */
  get open(): ReadonlyArray<SessionSocket> {
    return this.sockets.filter(({ history }) => history.ended === undefined)
  }

  /** Makes the tenants, learns the ids of their projects and what they have before the sequence. */
  async begin(): Promise<void> {
    await this.#makeTenants()
    for (const tenant of this.tenants) {
      const key = this.validKeyOf(tenant)
      const call = { step: undefined, key, method: "GET" }
      const query = [["execProgramId", this.heard.fill("«program echo»")] as const, ["execInputs", "opening"] as const]
      // On a project that has a past: what is dated before this run is older than the sequence.
      if (this.target.operator === undefined && (await this.askAndWait({ ...call, path: "/execute", query }, 60_000)) === undefined) {
        throw new Error(`the run before the sequence was not answered: ${this.draft.calls.at(-1)?.lost ?? "nothing came"}`)
      }
      await this.askAndWait({ ...call, path: "/info" }, 20_000)
      const project = await this.askAndWait({ ...call, path: "/project" }, 20_000)
      this.projectIds[tenant] = textAt(parsed(project?.text ?? ""), "projectId")
      // What a run holds; a service without quotes runs it.
      await this.askAndWait({ ...call, path: "/execute", query: [...query, ["dryRun", "true"] as const] }, 60_000)
    }
  }
}
