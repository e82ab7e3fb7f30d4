/** The order of waiting passes: projects take turns, so that no project waits behind all passes of another. */
import { LRUCache } from "lru-cache"

/** What waits for a worker. */
export interface WaitingPass {
  /** The project that pays for it. */
  readonly projectId: string
  /** Whether a run begins with it. Within a project, passes of running runs go first, which keeps fewer runs open. */
  readonly first: boolean
}

/** Passes of one project. One that neither waits nor runs has no line. */
interface Line<Pass> {
  readonly continuing: Array<Pass>
  readonly starting: Array<Pass>
  /** Its workers at present. */
  running: number
  /** When it was served last, as a count of passes served. */
  servedAt: number
}

const isWaiting = ({ continuing, starting }: Line<unknown>): boolean => continuing.length + starting.length > 0

/** How many idle projects are remembered with the time at which they were served last. */
const rememberedProjects = 1_000

/**
 * The passes that wait, by project. Each pass that was taken counts as running until it is said to have {@link ended}.
 *
 * While passes of a project wait and it has no worker, each other project is served at most once, and only while it has no
 * worker either. Among passes of one project, those of runs under way come first, each kind in its order.
 */
export class Turns<Pass extends WaitingPass> {
  readonly #lines = new Map<string, Line<Pass>>()
  readonly #servedAt: LRUCache<string, number>
  /** The latest turn of a project that is not remembered: an unknown project counts as served then, not as never served. */
  #forgottenAt = 0
  #served = 0
  #starting = 0
  #waiting = 0
  #without = 0

  constructor(remembered = rememberedProjects) {
    this.#servedAt = new LRUCache({
      max: remembered,
      dispose: (servedAt, _, reason) => {
        if (reason === "evict") this.#forgottenAt = Math.max(this.#forgottenAt, servedAt)
      }
    })
  }

  /** Passes that wait. */
  get waiting(): number {
    return this.#waiting
  }

  /** Of them, those that runs begin with. */
  get starting(): number {
    return this.#starting
  }

  /** Projects that wait and have no worker at all. */
  get without(): number {
    return this.#without
  }

  add(pass: Pass): void {
    const line = this.#lines.get(pass.projectId) ?? this.#newLine(pass.projectId)
    ;(pass.first ? line.starting : line.continuing).push(pass)
    this.#count(pass, 1)
  }

  /** A pass that was taken waits again, as the next one of its project. */
  putBack(pass: Pass): void {
    const line = this.#lines.get(pass.projectId)
    if (line === undefined) return
    line.continuing.unshift(pass)
    this.#count(pass, 1)
    this.ended(pass)
  }

  /** Takes a pass out of its line; false when it does not wait any more. */
  remove(pass: Pass): boolean {
    const line = this.#lines.get(pass.projectId)
    if (line === undefined) return false
    const queue = [line.starting, line.continuing].find((one) => one.includes(pass))
    if (queue === undefined) return false
    queue.splice(queue.indexOf(pass), 1)
    this.#count(pass, -1)
    this.#forgetIfEmpty(pass.projectId, line)
    return true
  }

  /**
   * The next pass: of the projects with the fewest workers, the one that was served the longest time ago has its turn.
   * `without`: only of projects that have no worker at all. `admits`: if it says no, nothing is taken, for nobody is overtaken.
   */
  take(without = false, admits?: (next: Pass) => boolean): Pass | undefined {
    const line = this.#next()
    if (line === undefined || (without && line.running > 0)) return undefined
    const next = line.continuing[0] ?? line.starting[0]
    if (next !== undefined && admits?.(next) === false) return undefined
    const pass = line.continuing.shift() ?? line.starting.shift()
    if (pass === undefined) return undefined
    this.#count(pass, -1)
    if (line.running === 0) this.#without -= 1
    line.running += 1
    this.#served += 1
    line.servedAt = this.#served
    return pass
  }

  /** A pass that was taken has ended. */
  ended({ projectId }: Pass): void {
    const line = this.#lines.get(projectId)
    if (line === undefined) return
    line.running -= 1
    if (line.running === 0) this.#without += 1
    this.#forgetIfEmpty(projectId, line)
  }

  /** Takes out everything that waits. */
  removeAll(): ReadonlyArray<Pass> {
    const all = [...this.#lines.values()].flatMap(({ continuing, starting }) => [...continuing, ...starting])
    for (const pass of all) this.remove(pass)
    return all
  }

  #next(): Line<Pass> | undefined {
    let best: Line<Pass> | undefined
    for (const line of this.#lines.values()) {
      if (!isWaiting(line)) continue
      const fewer = best === undefined ? 1 : best.running - line.running
      if (fewer > 0 || (fewer === 0 && best !== undefined && line.servedAt < best.servedAt)) best = line
    }
    return best
  }

  #newLine(projectId: string): Line<Pass> {
    const servedAt = this.#servedAt.get(projectId) ?? this.#forgottenAt
    const line: Line<Pass> = { continuing: [], starting: [], running: 0, servedAt }
    this.#lines.set(projectId, line)
    this.#without += 1
    return line
  }

  #count(pass: Pass, change: 1 | -1): void {
    this.#waiting += change
    if (pass.first) this.#starting += change
  }

  /** Lines without a worker always wait: others are forgotten at once. */
  #forgetIfEmpty(projectId: string, line: Line<Pass>): void {
    if (line.running > 0 || isWaiting(line)) return
    this.#lines.delete(projectId)
    this.#servedAt.set(projectId, line.servedAt)
    this.#without -= 1
  }
}
