/** Passes news of feeds from one edge on to the others that listen. */
import type { AboutFeeds } from "./edgeMessages.ts"
import type { Addressed } from "./sharedCounts.ts"

/** Which edge listens to which feed. Each method returns what is to be sent. */
export class NewsSwitch<Edge> {
  readonly #listening = new Map<string, Set<Edge>>()

  /** What an edge tells. */
  heard(edge: Edge, message: AboutFeeds): ReadonlyArray<Addressed<Edge>> {
    const { feedKey } = message
    const listening = this.#listening.get(feedKey)
    if (message.kind === "news") {
      const others = [...(listening ?? [])].filter((other) => other !== edge)
      return others.map((to) => ({ to, message }))
    }
    if (message.listens) this.#listening.set(feedKey, (listening ?? new Set()).add(edge))
    else this.#leave(feedKey, edge)
    return []
  }

  /** The edge has ended. */
  gone(edge: Edge): void {
    for (const feedKey of this.#listening.keys()) this.#leave(feedKey, edge)
  }

  #leave(feedKey: string, edge: Edge): void {
    const listening = this.#listening.get(feedKey)
    if (listening?.delete(edge) === true && listening.size === 0) this.#listening.delete(feedKey)
  }
}
