/** A memo computes once for each object, and anew where the other arguments decide otherwise. */
import { expect, it } from "vitest"
import { memoized } from "./memoized.ts"

it("computes once for each object, equal ones apart", () => {
  const asked: Array<string> = []
  const textOf = memoized((key: { readonly name: string }) => {
    asked.push(key.name)
    return `<${key.name}>`
  })
  const [one, other] = [{ name: "a" }, { name: "a" }]
  expect([textOf(one), textOf(one), textOf(other)]).toEqual(["<a>", "<a>", "<a>"])
  expect(asked).toEqual(["a", "a"])
})

it("gives what was made before only where it is what would be made now", () => {
  const pairOf = memoized(
    (key: { readonly name: string }, count: number) => ({ name: key.name, count }),
    (pair, count) => pair.count === count
  )
  const key = { name: "a" }
  const first = pairOf(key, 1)
  expect(pairOf(key, 1)).toBe(first)
  expect([pairOf(key, 2), pairOf(key, 1)]).toEqual([
    { name: "a", count: 2 },
    { name: "a", count: 1 }
  ])
})
