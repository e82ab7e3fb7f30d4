/** Judges what a simulated pool did, by its events alone. */
import { mostGiven, recallAfterMs } from "../pool/dispatcher.ts"
import type { PoolEvent, SimulatedPass, SimulatedPool } from "./simulatedPool.ts"

/** What of one project waits and runs, and what it has seen since it waits without a worker. */
interface Standing {
  waiting: ReadonlyArray<SimulatedPass>
  running: number
  /** Set while it waits and has no worker. */
  hungry: { readonly sinceMs: number; readonly overtakenBy: Set<string> } | undefined
}

/** The longest time that a project waited without a worker, ms, and every fault that was found, in words. */
export interface Judgement {
  readonly longestWaitMs: number
  readonly faults: ReadonlyArray<string>
}

class Judge {
  readonly faults: Array<string> = []
  longestWaitMs = 0
  readonly #projects = new Map<string, Standing>()
  /** How many passes each place that is up has. */
  readonly #places = new Map<number, number>()
  /** Since when passes lie ahead at a worker. */
  readonly #ahead = new Map<SimulatedPass, number>()
  readonly #recalled = new Set<SimulatedPass>()
  readonly #workers: number

  constructor(workers: number) {
    this.#workers = workers
  }

  /** Nothing more happens at this time. */
  settle(atMs: number): void {
    const waits = [...this.#projects.values()].some(({ waiting }) => waiting.length > 0)
    for (const [place, has] of this.#places) {
      if (has === 0 && place < this.#workers && waits) this.faults.push(`${atMs}: worker ${place} is idle while passes wait`)
    }
  }

  see(event: PoolEvent): void {
    if (!("pass" in event)) {
      if (event.kind === "up") this.#places.set(event.place, 0)
      else this.#places.delete(event.place)
      return
    }
    if (event.kind !== "waits" && event.kind !== "given") this.#seeAhead(event.pass, event.atMs)
    if (event.kind === "over" || event.kind === "recalled") this.#places.set(event.place, (this.#places.get(event.place) ?? 0) - 1)
    if (event.kind !== "began") this.#seePass(event)
  }

  /** What lay ahead does so no longer. */
  #seeAhead(pass: SimulatedPass, atMs: number): void {
    const sinceMs = this.#ahead.get(pass)
    this.#ahead.delete(pass)
    if (sinceMs !== undefined && atMs - sinceMs > recallAfterMs)
      this.faults.push(`${atMs}: a pass of ${pass.projectId} lay ahead for too long`)
  }

  end(): void {
    for (const [projectId, { running, waiting }] of this.#projects) {
      if (waiting.length + running > 0) this.faults.push(`${projectId} was left with ${waiting.length} waiting and ${running} running`)
    }
  }

  #seePass(event: Exclude<Extract<PoolEvent, { readonly pass: SimulatedPass }>, { readonly kind: "began" }>): void {
    const { atMs, kind, pass } = event
    const standing = this.#projects.get(pass.projectId) ?? { waiting: [], running: 0, hungry: undefined }
    this.#projects.set(pass.projectId, standing)
    if (kind === "given") this.#seeGiven(event.place, pass, standing, atMs)
    if (kind === "waits") standing.waiting = [...standing.waiting, pass]
    // It is the next one of its project.
    else if (kind === "recalled") standing.waiting = [pass, ...standing.waiting]
    else standing.waiting = standing.waiting.filter((other) => other !== pass)
    if (kind === "recalled") this.#recalled.add(pass)
    if (kind === "over" || kind === "recalled") standing.running -= 1
    if (standing.waiting.length === 0 || standing.running > 0) standing.hungry = undefined
    else standing.hungry ??= { sinceMs: atMs, overtakenBy: new Set() }
  }

  #seeGiven(place: number, pass: SimulatedPass, standing: Standing, atMs: number): void {
    const { projectId } = pass
    const sayFault = (text: string): unknown => this.faults.push(`${atMs}: ${projectId} ${text}`)
    const has = this.#places.get(place) ?? 0
    this.#places.set(place, has + 1)
    if (has > 0) this.#seeGivenAhead(place, has, pass, atMs)
    if (this.#dueOf(standing) !== pass) sayFault("is not served in the order of its own passes")
    if (standing.hungry !== undefined) this.longestWaitMs = Math.max(this.longestWaitMs, atMs - standing.hungry.sinceMs)
    if (place >= this.#workers && standing.running > 0) sayFault("is given a spare worker although it has a worker")
    for (const [other, { hungry }] of this.#projects) {
      if (other === projectId || hungry === undefined) continue
      if (standing.running > 0) sayFault(`is given another worker while ${other} has none`)
      if (hungry.overtakenBy.has(projectId)) sayFault(`is served twice before ${other}`)
      hungry.overtakenBy.add(projectId)
    }
    standing.running += 1
  }

  /** Of one project: recalled passes, later passes of its runs, their first passes. */
  #dueOf({ waiting }: Standing): SimulatedPass | undefined {
    const rank = (pass: SimulatedPass): number => (this.#recalled.has(pass) ? 0 : pass.first ? 2 : 1)
    return waiting.toSorted((left, right) => rank(left) - rank(right))[0]
  }

  #seeGivenAhead(place: number, has: number, pass: SimulatedPass, atMs: number): void {
    const sayFault = (text: string): unknown => this.faults.push(`${atMs}: ${pass.projectId} ${text}`)
    this.#ahead.set(pass, atMs)
    const isExpected = pass.expectedMs < Infinity && place < this.#workers && has < mostGiven
    if (!isExpected) sayFault(`is given worker ${place}, which is not idle`)
  }
}

/** Looks at every event in turn. */
export const judgePool = ({ workers }: Pick<SimulatedPool, "workers">, events: ReadonlyArray<PoolEvent>): Judgement => {
  const judge = new Judge(workers)
  for (const [at, event] of events.entries()) {
    const before = events[at - 1]
    if (before !== undefined && before.atMs < event.atMs) judge.settle(before.atMs)
    judge.see(event)
  }
  judge.end()
  return { longestWaitMs: judge.longestWaitMs, faults: judge.faults }
}
