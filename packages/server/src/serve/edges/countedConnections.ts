/** The open connections of each key on each edge, as the supervisor counts them. */

/** Counts by key and edge. Edges are told apart by the process that they run in. */
export class CountedConnections<Edge> {
  readonly #byKey = new Map<string, Map<Edge, number>>()

  /** One more on this edge; how many the others have. */
  opened(edge: Edge, apiKeyId: string): number {
    const counts = this.#byKey.get(apiKeyId) ?? new Map<Edge, number>()
    this.#byKey.set(apiKeyId, counts)
    counts.set(edge, (counts.get(edge) ?? 0) + 1)
    return this.elsewhere(edge, apiKeyId)
  }

  /** How many the other edges have. */
  elsewhere(edge: Edge, apiKeyId: string): number {
    let sum = 0
    for (const [other, count] of this.#byKey.get(apiKeyId) ?? []) if (other !== edge) sum += count
    return sum
  }

  /** One less on this edge. */
  closed(edge: Edge, apiKeyId: string): void {
    const counts = this.#byKey.get(apiKeyId)
    const count = counts?.get(edge) ?? 0
    if (counts === undefined || count === 0) return
    if (count > 1) counts.set(edge, count - 1)
    else this.#forget(edge, apiKeyId, counts)
  }

  /** The edge has ended, and its connections with it. */
  gone(edge: Edge): void {
    for (const [apiKeyId, counts] of this.#byKey) this.#forget(edge, apiKeyId, counts)
  }

  #forget(edge: Edge, apiKeyId: string, counts: Map<Edge, number>): void {
    counts.delete(edge)
    if (counts.size === 0) this.#byKey.delete(apiKeyId)
  }
}
