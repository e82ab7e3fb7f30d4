/** Who gets the next worker: projects take turns, so that none waits behind everything that another has brought. */
import { LRUCache } from "lru-cache"

/** What waits for a worker. */
export interface WaitingPass {
  /** Who pays for it. */
  readonly projectId: string
  /** Whether a run begins with it. Of one project, passes of runs under way go first: so fewer runs are under way. */
  readonly first: boolean
}

/** Passes of one project. One that neither waits nor runs has no line. */
interface Line<Pass> {
  readonly continuing: Array<Pass>
  readonly starting: Array<Pass>
  /** Workers that it has now. */
  running: number
}

const isWaiting = ({ continuing, starting }: Line<unknown>): boolean => continuing.length + starting.length > 0

/** Projects of which is known when they were served last, though nothing of theirs waits or runs. */
const rememberedProjects = 1_000

/** The passes that wait, by project. Each pass that was taken counts as running until it is said to have {@link ended}. */
export class Turns<Pass extends WaitingPass> {
  readonly #lines = new Map<string, Line<Pass>>()
  readonly #servedAt = new LRUCache<string, number>({ max: rememberedProjects })
  #served = 0
  #starting = 0
  #waiting = 0

  /** Passes that wait. */
  get waiting(): number {
    return this.#waiting
  }

  /** Of them, those that runs begin with. */
  get starting(): number {
    return this.#starting
  }

  add(pass: Pass): void {
    const line = this.#lines.get(pass.projectId) ?? { continuing: [], starting: [], running: 0 }
    this.#lines.set(pass.projectId, line)
    ;(pass.first ? line.starting : line.continuing).push(pass)
    this.#count(pass, 1)
  }

  /** Takes a pass out of its line; false when it does not wait any more. */
  remove(pass: Pass): boolean {
    const line = this.#lines.get(pass.projectId)
    const queue = pass.first ? line?.starting : line?.continuing
    const place = queue?.indexOf(pass) ?? -1
    if (line === undefined || place < 0) return false
    queue?.splice(place, 1)
    this.#count(pass, -1)
    this.#forgetIfEmpty(pass.projectId, line)
    return true
  }

  /**
   * The next pass: of the projects with the fewest workers, the one that was served the longest time ago has its turn.
   * `without`: only of projects that have no worker at all.
   */
  take(without = false): Pass | undefined {
    const next = this.#next()
    if (next === undefined || (without && next[1].running > 0)) return undefined
    const [projectId, line] = next
    const pass = line.continuing.shift() ?? line.starting.shift()
    if (pass === undefined) return undefined
    this.#count(pass, -1)
    line.running += 1
    this.#served += 1
    this.#servedAt.set(projectId, this.#served)
    return pass
  }

  /** Projects that wait and have no worker at all. */
  get without(): number {
    let count = 0
    for (const line of this.#lines.values()) if (line.running === 0) count += 1
    return count
  }

  /** A pass that was taken has its worker no more. */
  ended({ projectId }: Pass): void {
    const line = this.#lines.get(projectId)
    if (line === undefined) return
    line.running -= 1
    this.#forgetIfEmpty(projectId, line)
  }

  /** Takes out everything that waits. */
  removeAll(): ReadonlyArray<Pass> {
    const all = [...this.#lines.values()].flatMap(({ continuing, starting }) => [...continuing, ...starting])
    for (const pass of all) this.remove(pass)
    return all
  }

  #next(): readonly [string, Line<Pass>] | undefined {
    let best: readonly [string, Line<Pass>] | undefined
    let bestServedAt = 0
    for (const entry of this.#lines) {
      const [projectId, line] = entry
      if (!isWaiting(line)) continue
      const servedAt = this.#servedAt.peek(projectId) ?? 0
      const fewer = best === undefined ? 1 : best[1].running - line.running
      if (fewer > 0 || (fewer === 0 && servedAt < bestServedAt)) {
        best = entry
        bestServedAt = servedAt
      }
    }
    return best
  }

  #count(pass: Pass, change: 1 | -1): void {
    this.#waiting += change
    if (pass.first) this.#starting += change
  }

  #forgetIfEmpty(projectId: string, line: Line<Pass>): void {
    if (line.running === 0 && !isWaiting(line)) this.#lines.delete(projectId)
  }
}
