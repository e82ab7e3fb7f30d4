/** The checklist is complete: every clause has evidence, all evidence exists, every audit is named, and the page is up to date. */
import { existsSync, readFileSync } from "node:fs"
import { Layer } from "effect"
import { describe, expect, it } from "vitest"
import { restAudits } from "../audits/every/restAudits.ts"
import { wsAudits } from "../audits/every/wsAudits.ts"
import { allStoreLaws } from "../laws/allStoreLaws.ts"
import { conformanceClauses } from "./clauses.ts"
import { conformancePage, isAuditId } from "./conformancePage.ts"
import { shownIn } from "./shownIn.ts"
import { type NamedTest, namedTests } from "./testdata/namedTests.ts"
import { targetGrades } from "./targetGrades.ts"
import { unauditedClauses } from "./unauditedClauses.ts"
import { readTestEvidence, type TestEvidence } from "./testEvidence.ts"

const root = new URL("../../../../", import.meta.url)
const audits = [...restAudits, ...wsAudits]
const clauses = conformanceClauses.flatMap(({ clauses: each }) => each)
const named = new Set(clauses.flatMap(([, ...shownBy]) => shownBy))
const tests = [...named].flatMap((shownBy) => readTestEvidence(shownBy) ?? [])

/** The laws get their titles from a list, so no test file contains them. */
const laws = new Set(
  Object.values(allStoreLaws(() => Layer.die("only the law's name is used")))
    .flat()
    .map(({ name }) => name)
)
const runLaws = new Set<string>([shownIn.memoryLaws, shownIn.sqlStores])

const testsOfFiles = new Map<string, ReadonlyArray<NamedTest>>()

/** The tests of a file, parsed once however many clauses name it. */
const testsOf = (path: string): ReadonlyArray<NamedTest> => {
  const known = testsOfFiles.get(path) ?? namedTests(path, readFileSync(new URL(path, root), "utf8"))
  testsOfFiles.set(path, known)
  return known
}

/** What is wrong with evidence that names a test. */
const faultOf = ({ path, title }: TestEvidence): string | undefined => {
  if (!existsSync(new URL(path, root))) return `${path} does not exist`
  if (runLaws.has(path)) return laws.has(title) ? undefined : `no law "${title}"`
  const found = testsOf(path).filter((test) => test.title === title)
  if (found.length === 0) return `${path} has no test "${title}"`
  return found.every(({ asserts }) => asserts) ? undefined : `"${title}" of ${path} is skipped or asserts nothing`
}

/** The decisions in docs/DECISIONS.md, each in an item that begins with its number or a range of numbers. */
const explained = new Set(
  [...readFileSync(new URL("docs/DECISIONS.md", root), "utf8").matchAll(/^- \*\*D(\d+)(?: to D(\d+))?[,.]/gm)].flatMap(
    ([, from, to = from]) => Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => `D${Number(from) + index}`)
  )
)

describe("the checklist", () => {
  it("has evidence for every clause, without duplicates", () => {
    const empty = clauses.filter(([says, ...shownBy]) => says === "" || shownBy.length === 0 || shownBy.includes(""))
    expect(empty).toEqual([])
    const twice = clauses.filter(([, ...shownBy]) => new Set(shownBy).size < shownBy.length)
    expect(twice).toEqual([])
    for (const { clauses: each, title } of conformanceClauses) {
      expect(new Set(each.map(([says]) => says)).size, title).toBe(each.length)
    }
  })

  it("names audits that exist, and every one of them", () => {
    const ids = audits.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter((id) => !isAuditId(id))).toEqual([])
    expect([...named].filter((shownBy) => isAuditId(shownBy) && !ids.includes(shownBy))).toEqual([])
    expect(ids.filter((id) => !named.has(id))).toEqual([])
  })

  it("has an audit for every clause, or the reason why none can show it", () => {
    const without = clauses.filter(([, ...shownBy]) => !shownBy.some(isAuditId)).map(([says]) => says)
    expect(without.filter((says) => !unauditedClauses.has(says))).toEqual([])
    expect([...unauditedClauses.keys()].filter((says) => !without.includes(says))).toEqual([])
    expect([...unauditedClauses.values()].filter((reason) => reason.length < 30)).toEqual([])
  })

  it("has an audit of its own for each field of the records of a run and of a key, and for each parameter of the methods", () => {
    const isField = /^(?:`data(?:Request|Result)\.|Verify: `|`feed\.(?:execute|start|stop)`: `)/
    const fields = clauses.filter(([says]) => isField.test(says))
    expect(fields.length).toBeGreaterThanOrEqual(42)
    const namedFirst = fields.map(([, first]) => first)
    const shared = fields.filter(([, first]) => !isAuditId(first) || namedFirst.filter((other) => other === first).length > 1)
    expect(shared.map(([says]) => says)).toEqual([])
  })

  it("is of at least 220 audits", () => {
    expect(audits.length).toBeGreaterThanOrEqual(220)
  })

  it("names tests that exist, run and assert something", () => {
    expect([...named].filter((shownBy) => !isAuditId(shownBy) && readTestEvidence(shownBy) === undefined)).toEqual([])
    expect(tests.flatMap((test) => faultOf(test) ?? [])).toEqual([])
    const paths = new Set(tests.map(({ path }) => path))
    expect(Object.values(shownIn).filter((path) => !paths.has(path))).toEqual([])
  })

  it("has every decision from D1 to D48, D50 and D51", () => {
    const decided = new Set(clauses.flatMap(([says]) => /^(D\d+): /.exec(says)?.slice(1) ?? []))
    const all = [...Array.from({ length: 48 }, (_, index) => `D${index + 1}`), "D50", "D51"]
    expect(all.filter((decision) => !decided.has(decision))).toEqual([])
    expect(all.filter((decision) => !explained.has(decision))).toEqual([])
  })
})

describe("docs/CONFORMANCE.md", () => {
  it("is what the checklist generates", () => {
    const page = readFileSync(new URL("docs/CONFORMANCE.md", root), "utf8")
    expect(page).toBe(conformancePage(conformanceClauses, audits, Object.values(targetGrades)))
  })
})
