/** What all processes of a kind, edges or executors, have measured, gathered by their supervisor. */
import type { Series } from "@sibyl/core"

/** To an edge or an executor: say what you have measured. */
export interface MetricsQuestion {
  readonly kind: "tellMetrics"
  readonly ask: number
}

/** The answer. */
export interface MetricsAnswer {
  readonly kind: "metrics"
  readonly ask: number
  readonly series: ReadonlyArray<Series>
}

/** A process that does not answer in this time is left out: a scrape must not hang with it. */
const patienceMs = 2_000

/** A process that can be asked. */
interface Asked {
  readonly tell: (message: MetricsQuestion) => void
}

interface Gathering<Process> {
  readonly missing: Set<Process>
  readonly got: Array<ReadonlyArray<Series>>
  readonly done: (ofAll: ReadonlyArray<ReadonlyArray<Series>>) => void
}

/** Asks processes. */
export class GatheredMetrics<Process extends Asked> {
  readonly #processes: () => ReadonlyArray<Process>
  readonly #gatherings = new Map<number, Gathering<Process>>()
  #asks = 0

  /** `processes` are those that are there now. */
  constructor(processes: () => ReadonlyArray<Process>) {
    this.#processes = processes
  }

  /** One list for each process that answers. */
  gather(): Promise<ReadonlyArray<ReadonlyArray<Series>>> {
    this.#asks += 1
    const ask = this.#asks
    const processes = this.#processes()
    if (processes.length === 0) return Promise.resolve([])
    return new Promise((resolve) => {
      const gathering: Gathering<Process> = {
        missing: new Set(processes),
        got: [],
        done: (ofAll) => {
          clearTimeout(timer)
          this.#gatherings.delete(ask)
          resolve(ofAll)
        }
      }
      const timer = setTimeout(() => gathering.done(gathering.got), patienceMs)
      this.#gatherings.set(ask, gathering)
      for (const process of processes) process.tell({ kind: "tellMetrics", ask })
    })
  }

  /** What a process says. */
  heard(process: Process, { ask, series }: MetricsAnswer): void {
    this.#answered(process, ask, series)
  }

  /** Nobody waits for a process that has ended. */
  gone(process: Process): void {
    for (const ask of this.#gatherings.keys()) this.#answered(process, ask)
  }

  #answered(process: Process, ask: number, series?: ReadonlyArray<Series>): void {
    const gathering = this.#gatherings.get(ask)
    if (gathering?.missing.delete(process) !== true) return
    if (series !== undefined) gathering.got.push(series)
    if (gathering.missing.size === 0) gathering.done(gathering.got)
  }
}
