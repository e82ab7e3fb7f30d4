/** What the supervisor answers edges that ask about the limits they share. */
import { CountedConnections } from "./countedConnections.ts"
import type { AboutLimits, ToEdge } from "./edgeMessages.ts"
import { LentPlaces, type PlacesReply } from "./lentPlaces.ts"

/** A message and the edge that it is for. */
export interface Addressed<Edge> {
  readonly to: Edge
  readonly message: ToEdge
}

const addressed = <Edge>({ to, ...message }: PlacesReply<Edge>): Addressed<Edge> => ({ to, message })

/** Connections and places of all edges. Each method returns what is to be sent. */
export class SharedCounts<Edge> {
  readonly #connections = new CountedConnections<Edge>()
  readonly #places: LentPlaces<Edge>

  /** For so many edges. */
  constructor(edges: number) {
    this.#places = new LentPlaces(edges)
  }

  /** What an edge asked or told. */
  heard(edge: Edge, message: AboutLimits): ReadonlyArray<Addressed<Edge>> {
    switch (message.kind) {
      case "count":
        return elsewhere(edge, message.ask, this.#connections.elsewhere(edge, message.apiKeyId))
      case "opened":
        return elsewhere(edge, message.ask, this.#connections.opened(edge, message.apiKeyId))
      case "closed":
        this.#connections.closed(edge, message.apiKeyId)
        return []
      case "askPlaces":
        return this.#places.ask(edge, message.projectId, message.max).map(addressed)
      case "returnPlaces":
        return this.#places.returned(edge, message.projectId, message.places, message.isRecalled).map(addressed)
    }
  }

  /** The edge has ended. */
  gone(edge: Edge): ReadonlyArray<Addressed<Edge>> {
    this.#connections.gone(edge)
    return this.#places.gone(edge).map(addressed)
  }
}

const elsewhere = <Edge>(to: Edge, ask: number, connections: number): ReadonlyArray<Addressed<Edge>> => [
  { to, message: { kind: "elsewhere", ask, connections } }
]
