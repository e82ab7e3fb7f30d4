/** The parser of test files finds tests by title, and detects tests that show nothing. */
import { expect, it } from "vitest"
import { namedTests } from "./testdata/namedTests.ts"

const source = `
const isRight = (value: unknown) => expect(value).toBe(1)
const makeValue = () => 1
it("alone", () => isRight(makeValue()))
describe("a group", () => {
  it("with an assertion", async () => { expect(makeValue()).toBe(1) })
  it("without one", () => { makeValue() })
  it.skip("skipped", () => { expect(makeValue()).toBe(1) })
  it.each([1, 2])("of a table: %i", (value) => isRight(value))
  it(\`of \${makeValue()} things\`, () => isRight(1))
  it("through another", at(async () => isRight(1)))
})
describe.skip("a skipped group", () => {
  it("with an assertion", () => isRight(1))
})
describe.skipIf(makeValue() === 2)("a group on condition", () => {
  for (const name of ["x"]) it(name, () => isRight(1))
})
`

it("returns the title of each test, and whether it runs and asserts something", () => {
  expect(namedTests("a.test.ts", source).map(({ asserts, title }) => [title, asserts])).toEqual([
    ["alone", true],
    ["a group > with an assertion", true],
    ["a group > without one", false],
    ["a group > skipped", false],
    ["a group > of a table: %i", true],
    ["a group > of ${…} things", true],
    ["a group > through another", true],
    ["a skipped group > with an assertion", false],
    ["a group on condition > ${…}", true]
  ])
})
