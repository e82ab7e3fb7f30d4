/** Judges what a simulated pool did, by its events alone. */
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
  /** What each place that is up does. */
  readonly #places = new Map<number, "idle" | "busy">()
  readonly #workers: number

  constructor(workers: number) {
    this.#workers = workers
  }

  /** Nothing more happens at this time. */
  settle(atMs: number): void {
    const waits = [...this.#projects.values()].some(({ waiting }) => waiting.length > 0)
    for (const [place, doing] of this.#places) {
      if (doing === "idle" && place < this.#workers && waits) this.faults.push(`${atMs}: worker ${place} is idle while passes wait`)
    }
  }

  see(event: PoolEvent): void {
    if ("pass" in event) this.#seePass(event)
    else if (event.kind === "up") this.#places.set(event.place, "idle")
    else this.#places.delete(event.place)
  }

  end(): void {
    for (const [projectId, { running, waiting }] of this.#projects) {
      if (waiting.length + running > 0) this.faults.push(`${projectId} was left with ${waiting.length} waiting and ${running} running`)
    }
  }

  #seePass(event: Extract<PoolEvent, { readonly kind: "waits" | "left" | "given" | "over" }>): void {
    const { atMs, kind, pass } = event
    const standing = this.#projects.get(pass.projectId) ?? { waiting: [], running: 0, hungry: undefined }
    this.#projects.set(pass.projectId, standing)
    if (kind === "given") this.#seeGiven(event.place, pass, standing, atMs)
    if (kind === "waits") standing.waiting = [...standing.waiting, pass]
    else standing.waiting = standing.waiting.filter((other) => other !== pass)
    if (kind === "over") {
      standing.running -= 1
      this.#places.set(event.place, "idle")
    }
    if (standing.waiting.length === 0 || standing.running > 0) standing.hungry = undefined
    else standing.hungry ??= { sinceMs: atMs, overtakenBy: new Set() }
  }

  #seeGiven(place: number, pass: SimulatedPass, standing: Standing, atMs: number): void {
    const { projectId } = pass
    const sayFault = (text: string): unknown => this.faults.push(`${atMs}: ${projectId} ${text}`)
    if (this.#places.get(place) !== "idle") sayFault(`is given worker ${place}, which is not idle`)
    this.#places.set(place, "busy")
    const [due] = standing.waiting.toSorted((left, right) => Number(left.first) - Number(right.first))
    if (due !== pass) sayFault("is not served in the order of its own passes")
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
