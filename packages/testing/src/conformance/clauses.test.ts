/** The checklist is whole: no clause without evidence, no evidence that is not there, no audit left out, its page. */
import { existsSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { restAudits } from "../audits/rest/restAudits.ts"
import { wsAudits } from "../audits/ws/wsAudits.ts"
import { conformanceClauses } from "./clauses.ts"
import { conformancePage, isAuditId } from "./conformancePage.ts"
import { shownIn } from "./shownIn.ts"

const root = new URL("../../../../", import.meta.url)
const audits = [...restAudits, ...wsAudits]
const clauses = conformanceClauses.flatMap(({ clauses: each }) => each)
const named = new Set(clauses.flatMap(([, ...shownBy]) => shownBy))
const files = [...named].filter((shownBy) => !isAuditId(shownBy))

describe("the checklist", () => {
  it("has evidence for every clause, each said once", () => {
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

  it("names test files that exist and have tests that expect something", () => {
    const empty = files.filter((path) => {
      if (!path.endsWith(".test.ts") || !existsSync(new URL(path, root))) return true
      const text = readFileSync(new URL(path, root), "utf8")
      return !/\b(?:it|test)\b[^;]*\(/.test(text)
    })
    expect(empty).toEqual([])
    expect(Object.values(shownIn).filter((path) => !named.has(path))).toEqual([])
  })

  it("has every decision from D1 to D46", () => {
    const decided = new Set(clauses.flatMap(([says]) => /^(D\d+): /.exec(says)?.slice(1) ?? []))
    const all = Array.from({ length: 46 }, (_, index) => `D${index + 1}`)
    expect(all.filter((decision) => !decided.has(decision))).toEqual([])
  })
})

describe("docs/CONFORMANCE.md", () => {
  it("is what the checklist writes", () => {
    const page = readFileSync(new URL("docs/CONFORMANCE.md", root), "utf8")
    expect(page).toBe(conformancePage(conformanceClauses, audits))
  })
})
