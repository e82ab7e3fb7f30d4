/** However many runs some projects start, another one can start one too, and none exceeds its share. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { mayStartRun } from "./runPlaces.ts"

/** Lets each project start as many runs as it may, in an order that `pick` chooses. */
const filled = (projects: number, all: number, perProject: number, picks: ReadonlyArray<number>): ReadonlyArray<number> => {
  const own = Array.from({ length: projects }, () => 0)
  const total = (): number => own.reduce((sum, runs) => sum + runs, 0)
  const start = (at: number): boolean => {
    const runs = own[at] ?? 0
    const may = mayStartRun({ own: runs, all: total() }, { all, perProject })
    if (may) own[at] = runs + 1
    return may
  }
  for (const pick of picks) start(pick % projects)
  for (let more = true; more;) more = own.map((_, at) => start(at)).includes(true)
  return own
}

it("leaves a place for the next project, whatever the order", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      // A later project takes half of what is left, so with 2^projects places some are left for one more project.
      fc.integer({ min: 64, max: 200 }),
      fc.integer({ min: 1, max: 40 }),
      fc.array(fc.nat(), { maxLength: 80 }),
      (projects, all, perProject, picks) => {
        const own = filled(projects, all, perProject, picks)
        const total = own.reduce((sum, runs) => sum + runs, 0)
        expect(total).toBeLessThan(all)
        expect(mayStartRun({ own: 0, all: total }, { all, perProject })).toBe(true)
        for (const runs of own) expect(runs <= perProject && runs > 0).toBe(true)
      }
    )
  )
})

it("gives half to a single project, a third to each of two, and at most a project's bound", () => {
  expect(filled(1, 1_000, 1_000, [])).toEqual([500])
  expect(filled(2, 999, 1_000, [])).toEqual([333, 333])
  expect(filled(1, 1_000, 20, [])).toEqual([20])
  expect(filled(1, 1, 500, [])).toEqual([1])
})
