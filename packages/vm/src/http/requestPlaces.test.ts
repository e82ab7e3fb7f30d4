/** Places for requests: the bounds hold, nobody is forgotten, and whoever has fewest is next. */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { RequestPlaces, type Seat } from "./requestPlaces.ts"

/** A seat that notes when it begins. */
const seatOf = (projectId: string, host: string, begun: Array<Seat>, mostOfProject = 100): Seat => {
  const seat: Seat = { projectId, host, mostOfProject, begin: () => begun.push(seat) }
  return seat
}

const countBy = (seats: Iterable<Seat>, name: (seat: Seat) => string): ReadonlyArray<number> => {
  const counts = new Map<string, number>()
  for (const seat of seats) counts.set(name(seat), (counts.get(name(seat)) ?? 0) + 1)
  return [...counts.values()]
}

describe("for any requests that come and go", () => {
  const step = fc.record({ project: fc.nat(3), host: fc.nat(2), leaves: fc.boolean(), which: fc.nat(50), isAhead: fc.boolean() })

  test("no host and no project has more than it may, nobody waits while there is a place, and all begin once", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), fc.integer({ min: 2, max: 6 }), (steps, mostOfHost) => {
        const places = new RequestPlaces(mostOfHost)
        const begun: Array<Seat> = []
        const [seated, waiting] = [new Set<Seat>(), new Set<Seat>()]
        const moved = (): void => {
          for (const seat of begun.splice(0)) {
            waiting.delete(seat)
            seated.add(seat)
          }
        }
        for (const { host, isAhead, leaves, project, which } of steps) {
          const present = [...seated, ...waiting]
          const gone = present[which % Math.max(1, present.length)]
          if (leaves && gone !== undefined) {
            // Twice: a request that times out as it ends leaves once.
            seated.delete(gone)
            waiting.delete(gone)
            places.leave(gone)
            places.leave(gone)
          } else {
            const seat = seatOf(`p${project}`, `h${host}`, begun, project + 1)
            if (!isAhead) {
              waiting.add(seat)
              places.enter(seat)
            } else expect(places.enterIfFree(seat)).toBe(begun.length === 1)
          }
          moved()
          expect(places.counts).toEqual({ seated: seated.size, waiting: waiting.size })
          expect(Math.max(0, ...countBy(seated, (seat) => seat.host))).toBeLessThanOrEqual(mostOfHost)
          expect(Math.max(0, ...countBy(seated, (seat) => `${seat.projectId}${seat.host}`))).toBeLessThanOrEqual(Math.floor(mostOfHost / 2))
          for (const seat of seated) {
            expect([...seated].filter(({ projectId }) => projectId === seat.projectId).length).toBeLessThanOrEqual(seat.mostOfProject)
          }
          for (const seat of waiting) {
            const [ofHost, ofProject] = [
              [...seated].filter((each) => each.host === seat.host),
              [...seated].filter((each) => each.projectId === seat.projectId)
            ]
            const ofPair = ofHost.filter((each) => each.projectId === seat.projectId)
            const isFree = ofHost.length < mostOfHost && ofProject.length < seat.mostOfProject && ofPair.length < Math.floor(mostOfHost / 2)
            expect(isFree).toBe(false)
          }
        }
        for (const seat of [...waiting, ...seated]) places.leave(seat)
        expect(places.counts).toEqual({ seated: 0, waiting: 0 })
      })
    )
  })
})

test("a place goes to the project with the fewest at the host, and within it to the request that came first", () => {
  const places = new RequestPlaces(4)
  const begun: Array<Seat> = []
  const seats = ["a", "a", "b", "b", "a", "a", "b", "c", "c"].map((project) => seatOf(project, "h", begun))
  for (const seat of seats) places.enter(seat)
  expect(begun).toEqual(seats.slice(0, 4))
  const next = (left: number): Seat | undefined => {
    begun.length = 0
    const gone = seats[left]
    if (gone !== undefined) places.leave(gone)
    return begun[0]
  }
  // c has none, then one like a, whose first request came before.
  expect(next(0)).toBe(seats[7])
  expect(next(2)).toBe(seats[4])
})

test("10,000 requests that end as they begin do so one after the other", () => {
  const places = new RequestPlaces(2)
  let ended = 0
  const first: Seat = { projectId: "p", host: "h", mostOfProject: 1, begin: () => {} }
  places.enter(first)
  for (let index = 0; index < 10_000; index += 1) {
    const seat: Seat = {
      projectId: "p",
      host: "h",
      mostOfProject: 1,
      begin: () => {
        ended += 1
        places.leave(seat)
      }
    }
    places.enter(seat)
  }
  expect(ended).toBe(0)
  places.leave(first)
  expect(ended).toBe(10_000)
  expect(places.counts).toEqual({ seated: 0, waiting: 0 })
})
