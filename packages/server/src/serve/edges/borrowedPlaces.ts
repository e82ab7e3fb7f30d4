/** The places of each project's runs that this edge has borrowed from the supervisor, and who waits for more. */

/** How an edge asks for places and gives them back. */
export interface PlacesDesk {
  readonly ask: (projectId: string, max: number) => void
  readonly giveBack: (projectId: string, places: number, isRecalled: boolean) => void
  /** The monotonic clock. */
  readonly nowMs: () => number
}

interface Waiting {
  readonly max: number
  readonly answer: (isTaken: boolean) => void
}

interface OfProject {
  borrowed: number
  used: number
  /** The most that were in use since the last look. */
  peak: number
  waiting: ReadonlyArray<Waiting>
  refusedAtMs: number
}

/** After a refusal the supervisor is not asked again for this time, so that a flood of refused requests is not one of messages. */
const refusedForMs = 10

/** Borrows places. A place is taken at once if one is in stock. */
export class BorrowedPlaces {
  readonly #projects = new Map<string, OfProject>()
  readonly #desk: PlacesDesk

  constructor(desk: PlacesDesk) {
    this.#desk = desk
  }

  /** Takes a place for a run, now or when the supervisor has answered; `answer` is called once. */
  take(projectId: string, max: number, answer: (isTaken: boolean) => void): void {
    const project = this.#projects.get(projectId) ?? { borrowed: 0, used: 0, peak: 0, waiting: [], refusedAtMs: Number.NEGATIVE_INFINITY }
    this.#projects.set(projectId, project)
    if (project.used >= max) return answer(false)
    if (project.used < project.borrowed) {
      this.#use(project)
      return answer(true)
    }
    if (this.#desk.nowMs() - project.refusedAtMs < refusedForMs) return answer(false)
    project.waiting = [...project.waiting, { max, answer }]
    if (project.waiting.length === 1) this.#desk.ask(projectId, max)
  }

  /** A run has ended. */
  leave(projectId: string): void {
    const project = this.#projects.get(projectId)
    if (project !== undefined) project.used -= 1
  }

  /** The supervisor has answered: with 0, nobody who waits gets a place. */
  granted(projectId: string, places: number): void {
    const project = this.#projects.get(projectId)
    if (project === undefined) return
    project.borrowed += places
    if (places === 0) project.refusedAtMs = this.#desk.nowMs()
    const waiting = project.waiting
    const served = places === 0 ? waiting.length : Math.max(0, Math.min(waiting.length, project.borrowed - project.used))
    project.waiting = waiting.slice(served)
    for (const { answer } of waiting.slice(0, served)) {
      const isTaken = project.used < project.borrowed
      if (isTaken) this.#use(project)
      answer(isTaken)
    }
    const [next] = project.waiting
    if (next !== undefined) this.#desk.ask(projectId, next.max)
  }

  /** Another edge needs a place: everything that is not in use goes back. */
  recalled(projectId: string): void {
    const project = this.#projects.get(projectId)
    const spare = project === undefined ? 0 : project.borrowed - project.used
    if (project !== undefined) project.borrowed -= spare
    this.#desk.giveBack(projectId, spare, true)
  }

  /** Gives back what was not needed since the last look; called now and then. */
  look(): void {
    for (const [projectId, project] of this.#projects) {
      const spare = project.borrowed - project.peak
      if (spare > 0) {
        project.borrowed -= spare
        this.#desk.giveBack(projectId, spare, false)
      }
      project.peak = project.used
      if (project.borrowed === 0 && project.waiting.length === 0) this.#projects.delete(projectId)
    }
  }

  #use(project: OfProject): void {
    project.used += 1
    project.peak = Math.max(project.peak, project.used)
  }
}
