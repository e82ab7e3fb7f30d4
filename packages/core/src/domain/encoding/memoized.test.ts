/** A memoized function computes once per object, and again if the other arguments change the value. */
import { expect, it } from "vitest"
import { memoized } from "./memoized.ts"

it("computes once per object identity", () => {
  const asked: Array<string> = []
  const textOf = memoized((key: { readonly name: string }) => {
    asked.push(key.name)
    return `<${key.name}>`
  })
  const [one, other] = [{ name: "a" }, { name: "a" }]
  expect([textOf(one), textOf(one), textOf(other)]).toEqual(["<a>", "<a>", "<a>"])
  expect(asked).toEqual(["a", "a"])
})

it("returns the cached value only if the arguments would give the same", () => {
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
