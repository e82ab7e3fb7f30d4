/**
 * The places of each project's runs in flight, as the supervisor lends them to edges. An edge has a few in stock, so that most runs start
 * without a message; when all are lent, the supervisor calls back what is not in use. So all edges together never have more runs of a
 * project in flight than its limit, and refuse one only when that many are.
 */

/** What the supervisor sends because of a message. */
export type PlacesReply<Edge> =
  | { readonly to: Edge; readonly kind: "places"; readonly projectId: string; readonly places: number }
  | { readonly to: Edge; readonly kind: "recall"; readonly projectId: string }

interface Waiting<Edge> {
  readonly edge: Edge
  readonly max: number
  /** The edges that have not answered the recall yet. */
  readonly asked: Set<Edge>
}

interface OfProject<Edge> {
  readonly lent: Map<Edge, number>
  /** At most one of each edge. */
  waiting: ReadonlyArray<Waiting<Edge>>
}

/** Lends places to edges. */
export class LentPlaces<Edge> {
  readonly #projects = new Map<string, OfProject<Edge>>()
  readonly #edges: number

  /** For so many edges. */
  constructor(edges: number) {
    this.#edges = edges
  }

  /** An edge needs at least one place more. It gets an answer now, or when the others have answered a recall. */
  ask(edge: Edge, projectId: string, max: number): ReadonlyArray<PlacesReply<Edge>> {
    const project: OfProject<Edge> = this.#projects.get(projectId) ?? { lent: new Map(), waiting: [] }
    this.#projects.set(projectId, project)
    const places = this.#lend(project, edge, max)
    const others = [...project.lent].flatMap(([other, lent]) => (other !== edge && lent > 0 ? [other] : []))
    if (places > 0 || others.length === 0) return this.#tidy(projectId, [{ to: edge, kind: "places", projectId, places }])
    const recalled = new Set(project.waiting.flatMap(({ asked }) => [...asked]))
    project.waiting = [...project.waiting, { edge, max, asked: new Set(others) }]
    return others.flatMap((to) => (recalled.has(to) ? [] : [{ to, kind: "recall" as const, projectId }]))
  }

  /** An edge gives places back, as the answer to a recall or because it has had more than it needs. */
  returned(edge: Edge, projectId: string, places: number, isRecalled: boolean): ReadonlyArray<PlacesReply<Edge>> {
    const project = this.#projects.get(projectId)
    if (project === undefined) return []
    project.lent.set(edge, Math.max(0, (project.lent.get(edge) ?? 0) - places))
    return this.#tidy(projectId, this.#serve(projectId, project, isRecalled ? edge : undefined))
  }

  /** The edge has ended, and its runs with it. */
  gone(edge: Edge): ReadonlyArray<PlacesReply<Edge>> {
    return [...this.#projects].flatMap(([projectId, project]) => {
      project.lent.delete(edge)
      project.waiting = project.waiting.filter((waiting) => waiting.edge !== edge)
      return this.#tidy(projectId, this.#serve(projectId, project, edge))
    })
  }

  /** Gives an edge some of the free places: few of many, so that the others find some too. */
  #lend({ lent }: OfProject<Edge>, edge: Edge, max: number): number {
    const inUse = [...lent.values()].reduce((sum, places) => sum + places, 0)
    const places = Math.max(0, Math.min(max - inUse, Math.max(1, Math.floor(max / (4 * this.#edges)))))
    if (places > 0) lent.set(edge, (lent.get(edge) ?? 0) + places)
    return places
  }

  /** Answers those that wait, in their order: with places if there are any, with 0 when everybody has answered. */
  #serve(projectId: string, project: OfProject<Edge>, answered: Edge | undefined): ReadonlyArray<PlacesReply<Edge>> {
    const replies: Array<PlacesReply<Edge>> = []
    const waiting = project.waiting
    project.waiting = []
    for (const one of waiting) {
      if (answered !== undefined) one.asked.delete(answered)
      const places = this.#lend(project, one.edge, one.max)
      if (places > 0 || one.asked.size === 0) replies.push({ to: one.edge, kind: "places", projectId, places })
      else project.waiting = [...project.waiting, one]
    }
    return replies
  }

  #tidy(projectId: string, replies: ReadonlyArray<PlacesReply<Edge>>): ReadonlyArray<PlacesReply<Edge>> {
    const project = this.#projects.get(projectId)
    if (project?.waiting.length === 0 && [...project.lent.values()].every((places) => places === 0)) this.#projects.delete(projectId)
    return replies
  }
}
