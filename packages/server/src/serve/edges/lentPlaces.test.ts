/** Places of runs, lent to edges that borrow them: never more than the limit in use, and none refused while one is free. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { BorrowedPlaces } from "./borrowedPlaces.ts"
import { LentPlaces, type PlacesReply } from "./lentPlaces.ts"

/** A supervisor and its edges, with a queue of messages in each direction of each edge. */
class Model {
  readonly max: number
  readonly lent: LentPlaces<number>
  readonly edges: Array<BorrowedPlaces>
  readonly up: Array<Array<() => ReadonlyArray<PlacesReply<number>>>>
  readonly down: Array<Array<() => void>>
  /** Runs in flight, by edge. */
  readonly used: Array<number>
  refused = 0
  waiting = 0
  nowMs = 0

  constructor(edges: number, max: number) {
    this.max = max
    this.lent = new LentPlaces(edges)
    this.up = Array.from({ length: edges }, () => [])
    this.down = Array.from({ length: edges }, () => [])
    this.used = Array.from({ length: edges }, () => 0)
    this.edges = this.used.map((_, edge) => this.#edge(edge))
  }

  #edge(edge: number): BorrowedPlaces {
    return new BorrowedPlaces({
      ask: (projectId, max) => this.up[edge]?.push(() => this.lent.ask(edge, projectId, max)),
      giveBack: (projectId, places, isRecalled) => this.up[edge]?.push(() => this.lent.returned(edge, projectId, places, isRecalled)),
      nowMs: () => this.nowMs
    })
  }

  get inFlight(): number {
    return this.used.reduce((sum, runs) => sum + runs, 0)
  }

  take(edge: number): void {
    this.nowMs += 100
    this.waiting += 1
    this.edges[edge]?.take("p", this.max, (isTaken) => {
      this.waiting -= 1
      if (isTaken) this.used[edge] = (this.used[edge] ?? 0) + 1
      else this.refused += 1
    })
  }

  leave(edge: number): void {
    if ((this.used[edge] ?? 0) === 0) return
    this.used[edge] = (this.used[edge] ?? 0) - 1
    this.edges[edge]?.leave("p")
  }

  /** The process ends: what it has sent still arrives, what was sent to it does not. A new one takes its place. */
  crash(edge: number): void {
    const sent = this.up[edge] ?? []
    while (sent.length > 0) this.#reply(sent.shift()?.() ?? [])
    this.down[edge] = []
    this.used[edge] = 0
    this.waiting = 0
    this.edges[edge] = this.#edge(edge)
    this.#reply(this.lent.gone(edge))
  }

  #reply(replies: ReadonlyArray<PlacesReply<number>>): void {
    for (const reply of replies) {
      this.down[reply.to]?.push(() =>
        reply.kind === "recall" ? this.edges[reply.to]?.recalled("p") : this.edges[reply.to]?.granted("p", reply.places)
      )
    }
  }

  /** Delivers one message of an edge's channel, if there is one. */
  deliver(edge: number, isUp: boolean): boolean {
    const message = isUp ? this.up[edge]?.shift() : undefined
    const order = isUp ? undefined : this.down[edge]?.shift()
    if (message !== undefined) this.#reply(message())
    order?.()
    return message !== undefined || order !== undefined
  }

  settle(): void {
    for (let isBusy = true; isBusy;) {
      isBusy = this.edges.map((_, edge) => [this.deliver(edge, true), this.deliver(edge, false)]).some((moved) => moved.includes(true))
    }
  }
}

const steps = fc.array(
  fc.record({
    step: fc.constantFrom("take", "take", "take", "leave", "leave", "look", "up", "up", "down", "down", "crash"),
    edge: fc.nat({ max: 3 })
  }),
  { maxLength: 300 }
)

const play = (model: Model, { edge: drawn, step }: { readonly step: string; readonly edge: number }): void => {
  const edge = drawn % model.edges.length
  if (step === "take") model.take(edge)
  else if (step === "leave") model.leave(edge)
  else if (step === "look") model.edges[edge]?.look()
  else if (step === "crash") model.crash(edge)
  else model.deliver(edge, step === "up")
}

it("never has more runs in flight than the limit, and answers everybody, in any order of messages and with any crashes", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 4 }), fc.integer({ min: 1, max: 40 }), steps, (edges, max, played) => {
      const model = new Model(edges, max)
      for (const step of played) {
        play(model, step)
        expect(model.inFlight).toBeLessThanOrEqual(max)
      }
      model.settle()
      expect(model.inFlight).toBeLessThanOrEqual(max)
    })
  )
})

it("refuses a run only if as many as the limit are in flight, once all messages have arrived", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 4 }), fc.integer({ min: 1, max: 40 }), steps, (edges, max, played) => {
      const model = new Model(edges, max)
      for (const step of played) play(model, step)
      model.settle()
      for (let edge = 0; edge < edges; edge += 1) {
        const before = { inFlight: model.inFlight, refused: model.refused }
        model.take(edge)
        model.settle()
        const isFull = before.inFlight === max
        expect([model.inFlight, model.refused]).toEqual(isFull ? [max, before.refused + 1] : [before.inFlight + 1, before.refused])
      }
    })
  )
})

it("asks nothing for a run whose place is in stock, and gives back in time what was not needed", () => {
  const model = new Model(2, 200)
  model.take(0)
  model.settle()
  for (let runs = 0; runs < 24; runs += 1) model.take(0)
  expect([model.inFlight, model.waiting]).toEqual([25, 0])
  for (let runs = 0; runs < 25; runs += 1) model.leave(0)
  // The first look finds that 25 were needed since the last, the second that none was.
  for (let looks = 0; looks < 2; looks += 1) model.edges[0]?.look()
  expect(model.up[0]).toHaveLength(1)
  model.settle()
  for (let runs = 0; runs < 201; runs += 1) {
    model.take(1)
    model.settle()
  }
  expect([model.inFlight, model.refused]).toEqual([200, 1])
})
