/** All runs of an edge on the executors of a net: their messages, their times, and the probes of the executors that have them. */
import type { Measuring } from "@sibyl/core"
import { logPart } from "@sibyl/core/internal"
import type { Context } from "effect"
import { Effect, Either, Runtime } from "effect"
import type { Channel } from "../channel/channel.ts"
import { OtherVersions } from "../channel/otherVersions.ts"
import type { NatsConnection, NatsMessage } from "../connection/natsConnection.ts"
import { aliveCodec, beatCodec, orderCodec, probeCodec, replyCodec } from "../contract/codec.ts"
import type { Probe } from "../contract/orders.ts"
import { framesOf, readFrame } from "../contract/frame.ts"
import { aliveSubject, beatSubject, inboxesOf, inboxOf, orderSubject, runSubject } from "../contract/subjects.ts"
import type { EdgeParts } from "./edgeParts.ts"
import type { EdgeRun } from "./edgeRun.ts"
import { ExecutorsHeard } from "./executorsHeard.ts"
import { deadMs, Liveness, probeMs } from "./liveness.ts"
import { Roster } from "./roster.ts"
import { courseTimes } from "./courseTimes.ts"

/** How long the group is not trusted after one of its members did not answer, in ms. */
const distrustMs = 2_000

/** Between two lines of the log about the same executor that does not hear us, in ms. */
const unheardAgainMs = 60_000

/** How long runs that have begun wait for NATS to come back before they are given up, in ms. */
const cutOffMs = 30_000

/** Attempts in one message: a probe has to fit into one frame. */
const attemptsOfMessage = 500

/** What the runs of an edge need. */
export interface EdgeRunsOptions {
  readonly connection: Context.Tag.Service<NatsConnection>
  readonly channel: Channel
  readonly runtime: Runtime.Runtime<never>
  readonly nowMs: () => number
  readonly net: string
  readonly zone: string
  /** An id that no other edge has, and that cannot be guessed: whoever knows it can answer our runs. */
  readonly edge: string
  readonly hasProxies: boolean
  readonly metrics: Measuring
}

/** The runs of one edge. */
export class EdgeRuns implements EdgeParts {
  readonly edge: string
  readonly hasProxies: boolean
  readonly metrics: Measuring
  readonly roster: Roster
  readonly liveness = new Liveness()
  readonly attempts = new Map<string, EdgeRun>()
  readonly nowMs: () => number
  private readonly options: EdgeRunsOptions
  /** Those that wait for a time: the oldest first. */
  private readonly seeking = new Set<EdgeRun>()
  /** The attempts whose ends were heard, and whose executors were not told so. */
  private readonly heardOf = new Map<string, Array<string>>()
  /** When the log was told of executors that do not hear us. */
  private readonly unheardMs = new Map<string, number>()
  private connectedMs: number
  private untrustedUntilMs = 0
  private lastAttempt = 0
  private isTicking = false
  private readonly otherVersions = new OtherVersions()
  private readonly executorsHeard = new ExecutorsHeard()

  constructor(options: EdgeRunsOptions) {
    this.options = options
    this.edge = options.edge
    this.hasProxies = options.hasProxies
    this.metrics = options.metrics
    this.nowMs = options.nowMs
    this.roster = new Roster(options.zone)
    this.connectedMs = options.nowMs()
  }

  readonly nextAttempt = (): string => {
    this.lastAttempt += 1
    return `${this.edge}.${this.lastAttempt.toString(36)}`
  }

  readonly maxPayloadBytes = (): number => this.options.connection.server().maxPayloadBytes

  readonly offer = (executor: string | undefined, attempt: string, body: Uint8Array): void => {
    const { channel, net } = this.options
    channel.send(executor === undefined ? runSubject(net) : orderSubject(net, executor), body, inboxOf(attempt))
  }

  readonly order = (executor: string, body: Uint8Array): void => {
    this.options.channel.send(orderSubject(this.options.net, executor), body)
  }

  readonly heard = (executor: string, attempt: string): void => {
    this.roster.freed(executor)
    const heard = this.heardOf.get(executor) ?? []
    heard.push(attempt)
    this.heardOf.set(executor, heard)
    if (heard.length >= attemptsOfMessage) this.tellHeard()
  }

  readonly unheard = (executor: string): void => {
    const nowMs = this.nowMs()
    const toldMs = this.unheardMs.get(executor)
    if (toldMs !== undefined && nowMs - toldMs < unheardAgainMs) return
    for (const [other, atMs] of this.unheardMs) if (nowMs - atMs >= unheardAgainMs) this.unheardMs.delete(other)
    this.unheardMs.set(executor, nowMs)
    const line = Effect.logWarning(
      `executor ${executor} does not hear what this edge answers it: its runs that wait for that go on elsewhere`
    )
    this.log(line)
  }

  readonly distrust = (): void => {
    this.untrustedUntilMs = this.nowMs() + distrustMs
  }

  readonly distrustUntilMs = (): number => this.untrustedUntilMs

  readonly changed = (run: EdgeRun): void => {
    if (run.wakeMs === undefined) {
      this.seeking.delete(run)
      return
    }
    this.seeking.add(run)
    if (this.isTicking) return
    this.isTicking = true
    Runtime.runFork(this.options.runtime)(this.ticks)
  }

  /** Listens for replies and beats, and probes executors, until the scope closes. */
  readonly open = Effect.gen(this, function* () {
    const { channel, connection, net } = this.options
    const inbox = channel.listener({
      body: (body, message) => this.replied(body, message),
      nobody: (message) => this.tell(message, "nobody"),
      refused: (message) => this.tell(message, "refused")
    })
    yield* connection.subscribe(inboxesOf(this.edge), inbox)
    const beats = channel.listener({ body: (body) => this.heardBeat(body), otherVersion: (version) => this.heardVersion(version) })
    yield* connection.subscribe(beatSubject(net), beats)
    yield* Effect.forkScoped(
      Effect.forever(
        Effect.delay(
          Effect.sync(() => this.look()),
          probeMs
        )
      )
    )
  })

  /** Tells executors what they may forget: many at once, since that has time. */
  private tellHeard(): void {
    for (const [executor, attempts] of this.heardOf) this.order(executor, orderCodec.encode({ kind: "heard", attempts }))
    this.heardOf.clear()
  }

  /** Wakes those whose time has come, as long as there are any that wait. */
  private readonly ticks: Effect.Effect<void> = Effect.suspend(() => {
    const nowMs = this.nowMs()
    const due = [...this.seeking].filter(({ wakeMs = Number.POSITIVE_INFINITY }) => wakeMs <= nowMs)
    for (const run of due) {
      // Thousands may wait: they look for a place only when there is one.
      if (nowMs < (run.waitsUntilMs ?? nowMs) && this.roster.isFull(nowMs)) continue
      run.tell({ kind: "time" })
    }
    if (this.seeking.size > 0) return Effect.zipRight(Effect.sleep(courseTimes.againMs), this.ticks)
    this.isTicking = false
    return Effect.void
  })

  private attemptOf({ subject }: NatsMessage): string {
    return subject.slice(inboxOf("").length)
  }

  private tell(message: NatsMessage, kind: "nobody" | "refused"): void {
    const attempt = this.attemptOf(message)
    this.attempts.get(attempt)?.tell({ kind, attempt })
  }

  private replied(body: Uint8Array, message: NatsMessage): void {
    const { channel } = this.options
    const reply = replyCodec.decode(body)
    if (Either.isLeft(reply)) return channel.countGarbage()
    const attempt = this.attemptOf(message)
    const { before = [], body: last, executor, n } = reply.right
    this.liveness.heard(executor, this.nowMs())
    const bodies = [...before, last]
    for (const [at, one] of bodies.entries()) {
      const run = this.attempts.get(attempt)
      // An attempt that was given up: whoever has it still is to forget it.
      if (run === undefined) return one.kind === "full" ? undefined : this.order(executor, orderCodec.encode({ kind: "cancel", attempt }))
      run.tell({ kind: "reply", attempt, reply: { n: n - before.length + at, executor, body: one } })
    }
  }

  private heardVersion(version: number): void {
    const line = this.otherVersions.line(version, `executors of net ${this.options.net}`, "this edge")
    if (line !== undefined) this.log(Effect.logWarning(line))
  }

  private log(line: Effect.Effect<void>): void {
    Runtime.runFork(this.options.runtime)(Effect.annotateLogs(line, logPart("cluster")))
  }

  private heardBeat(body: Uint8Array): void {
    const beat = beatCodec.decode(body)
    if (Either.isRight(beat)) this.roster.beat(beat.right, this.nowMs())
    else this.options.channel.countGarbage()
  }

  /** Looks who is dead, and probes the others. */
  private look(): void {
    const { connection, runtime } = this.options
    const nowMs = this.nowMs()
    if (connection.isConnected()) this.connectedMs = nowMs
    this.tellWhetherHeard(nowMs)
    for (const executor of this.liveness.look(nowMs, connection.isConnected())) this.lost(executor)
    if (nowMs - this.connectedMs > cutOffMs) for (const run of this.attempts.values()) run.tell({ kind: "cutOff" })
    const byExecutor = new Map<string, Array<readonly [attempt: string, next: number]>>()
    for (const { running } of this.attempts.values()) {
      if (running === undefined) continue
      const attempts = byExecutor.get(running.executor) ?? []
      attempts.push([running.attempt, running.next])
      byExecutor.set(running.executor, attempts)
    }
    this.tellHeard()
    this.liveness.keepOnly(byExecutor)
    for (const [executor, attempts] of byExecutor) {
      for (let at = 0; at < attempts.length; at += attemptsOfMessage) {
        Runtime.runFork(runtime)(this.probed(executor, attempts.slice(at, at + attemptsOfMessage)))
      }
    }
  }

  /** Where nobody runs programs, whoever looks into the log of an edge is to see it. */
  private tellWhetherHeard(nowMs: number): void {
    const { connection, net } = this.options
    const change = this.executorsHeard.look(this.roster.count(nowMs), connection.isConnected(), nowMs)
    if (change === undefined) return
    const line =
      change === "quiet"
        ? Effect.logWarning(`no executor of net ${net} is heard`)
        : Effect.logInfo(`executors of net ${net} are heard again`)
    this.log(line)
  }

  private probed(executor: string, attempts: Probe["attempts"]): Effect.Effect<void> {
    const { channel, connection } = this.options
    const [frame] = framesOf(probeCodec.encode({ edge: this.edge, attempts }), this.maxPayloadBytes(), () => new Uint8Array(16))
    if (frame === undefined) return Effect.void
    return connection.request(aliveSubject(executor), frame, deadMs).pipe(
      Effect.map((message) => {
        this.liveness.heard(executor, this.nowMs())
        const answer = readFrame(message.data)
        const alive = aliveCodec.decode(answer.kind === "whole" ? answer.body : new Uint8Array())
        if (Either.isLeft(alive)) return channel.countGarbage()
        for (const attempt of alive.right.unknown) this.attempts.get(attempt)?.tell({ kind: "lost", executor, attempt })
      }),
      Effect.catchAll(({ why }) =>
        Effect.sync(() => {
          if (why === "nobody" && this.liveness.believesNobody(this.nowMs())) this.lost(executor)
        })
      )
    )
  }

  /** An executor is dead: others go on with its runs. */
  private lost(executor: string): void {
    this.liveness.forget(executor)
    this.roster.lost(executor)
    const runs = [...this.attempts.values()].filter(({ running }) => running?.executor === executor)
    for (const run of runs) run.tell({ kind: "lost", executor })
  }
}
