/** What all edges have measured, gathered by their supervisor. */
import type { Series } from "@sibyl/core"
import type { AboutMetrics, ToEdge } from "./edgeMessages.ts"

/** An edge that does not answer in this time is left out: a scrape must not hang with it. */
const patienceMs = 2_000

/** An edge that can be told something. */
interface Told {
  readonly tell: (message: ToEdge) => void
}

interface Gathering<Edge> {
  readonly missing: Set<Edge>
  readonly got: Array<ReadonlyArray<Series>>
  readonly done: (ofEdges: ReadonlyArray<ReadonlyArray<Series>>) => void
}

/** Asks edges, and answers edges that ask. */
export class GatheredMetrics<Edge extends Told> {
  readonly #edges: () => ReadonlyArray<Edge>
  readonly #gatherings = new Map<number, Gathering<Edge>>()
  #asks = 0

  /** `edges` are those that are there now. */
  constructor(edges: () => ReadonlyArray<Edge>) {
    this.#edges = edges
  }

  /** One list for each edge that answers. */
  gather(): Promise<ReadonlyArray<ReadonlyArray<Series>>> {
    this.#asks += 1
    const ask = this.#asks
    const edges = this.#edges()
    if (edges.length === 0) return Promise.resolve([])
    return new Promise((resolve) => {
      const gathering: Gathering<Edge> = {
        missing: new Set(edges),
        got: [],
        done: (ofEdges) => {
          clearTimeout(timer)
          this.#gatherings.delete(ask)
          resolve(ofEdges)
        }
      }
      const timer = setTimeout(() => gathering.done(gathering.got), patienceMs)
      this.#gatherings.set(ask, gathering)
      for (const edge of edges) edge.tell({ kind: "tellMetrics", ask })
    })
  }

  /** What an edge says. */
  heard(edge: Edge, message: AboutMetrics): void {
    if (message.kind === "metrics") return this.#answered(edge, message.ask, message.series)
    const { ask } = message
    void this.gather().then((ofEdges) => edge.tell({ kind: "allMetrics", ask, ofEdges }))
  }

  /** Nobody waits for an edge that has ended. */
  gone(edge: Edge): void {
    for (const ask of this.#gatherings.keys()) this.#answered(edge, ask)
  }

  #answered(edge: Edge, ask: number, series?: ReadonlyArray<Series>): void {
    const gathering = this.#gatherings.get(ask)
    if (gathering?.missing.delete(edge) !== true) return
    if (series !== undefined) gathering.got.push(series)
    if (gathering.missing.size === 0) gathering.done(gathering.got)
  }
}
