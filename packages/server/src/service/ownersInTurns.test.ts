/** Owners in turns: as a line of owners, each with its own tasks in order. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { OwnersInTurns } from "./ownersInTurns.ts"

/** What each owner has, and the owners in the order of their turns; who has nothing leaves the line when its turn comes. */
class Model {
  readonly #tasks = new Map<string, Array<string>>()
  readonly #line: Array<string> = []

  get isEmpty(): boolean {
    return this.#line.length === 0
  }

  add(owner: string, task: string): void {
    this.#tasks.set(owner, [...(this.#tasks.get(owner) ?? []), task])
    if (!this.#line.includes(owner)) this.#line.push(owner)
  }

  take(): string | undefined {
    const owner = this.#line.shift()
    if (owner === undefined) return undefined
    const [task, ...others] = this.#tasks.get(owner) ?? []
    this.#tasks.set(owner, others)
    if (task !== undefined) this.#line.push(owner)
    return task
  }
}

/** Both take; what the task says is its name. */
const takeBoth = (owners: OwnersInTurns, model: Model): void => {
  const said: Array<string> = []
  told = (name) => said.push(name)
  owners.take()?.()
  const expected = model.take()
  expect(said).toEqual(expected === undefined ? [] : [expected])
  expect(owners.isEmpty).toBe(model.isEmpty)
}

let told: (name: string) => void = () => {}

test("owners have their turns, and their tasks in order, as in a line", () => {
  const step = fc.oneof(fc.record({ owner: fc.constantFrom("", "a", "b", "c") }), fc.constant("take" as const))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const owners = new OwnersInTurns()
      const model = new Model()
      for (const [at, each] of steps.entries()) {
        if (each === "take") takeBoth(owners, model)
        else {
          const name = `${each.owner}${at}`
          owners.add(each.owner, () => told(name), 0)
          model.add(each.owner, name)
        }
      }
      while (!model.isEmpty) takeBoth(owners, model)
    }),
    { numRuns: 500 }
  )
})

test("owners without tasks are forgotten, those with tasks are not", () => {
  const owners = new OwnersInTurns()
  const ran: Array<number> = []
  for (let at = 0; at < 5_000; at += 1) {
    owners.add(`idle ${at}`, () => {}, 0)
    // Its one task, and the turn in which it has none left.
    owners.take()?.()
    owners.take()?.()
    expect(owners.known).toBeLessThanOrEqual(1_000)
  }
  for (let at = 0; at < 5_000; at += 1) owners.add(`busy ${at}`, () => ran.push(at), 0)
  while (!owners.isEmpty) owners.take()?.()
  expect(ran).toEqual(Array.from({ length: 5_000 }, (_, at) => at))
})
