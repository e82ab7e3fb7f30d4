/** The metrics of all edges as one edge gets them: by asking the supervisor. */
import type { Series } from "@sibyl/core"
import { measuring } from "../../service/measuring.ts"
import type { AboutMetrics, ToEdge } from "./edgeMessages.ts"

/** Asks the supervisor, and answers it. */
export class AskedMetrics {
  readonly #tell: (message: AboutMetrics) => void
  readonly #asking = new Map<number, (ofEdges: ReadonlyArray<ReadonlyArray<Series>>) => void>()
  #asks = 0

  /** `tell` sends a message to the supervisor. */
  constructor(tell: (message: AboutMetrics) => void) {
    this.#tell = tell
  }

  /** What every edge has measured. */
  readonly read = (): Promise<ReadonlyArray<ReadonlyArray<Series>>> =>
    new Promise((resolve) => {
      this.#asks += 1
      this.#asking.set(this.#asks, resolve)
      this.#tell({ kind: "askMetrics", ask: this.#asks })
    })

  /** What the supervisor says about metrics. */
  heard(message: Extract<ToEdge, { readonly kind: "tellMetrics" | "allMetrics" }>): void {
    if (message.kind === "tellMetrics") return this.#tell({ kind: "metrics", ask: message.ask, series: measuring().series() })
    this.#asking.get(message.ask)?.(message.ofEdges)
    this.#asking.delete(message.ask)
  }
}
