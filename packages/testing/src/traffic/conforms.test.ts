/** A failure of `conforms` is shrunk to a short sequence, shown so that people can read it, and repeated by its seed and path. */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { abilitiesOf, conforms, playSequence } from "./conforms.ts"
import type { Command } from "./commands/command.ts"
import type { TrafficViolation } from "./auditor/violation.ts"
import { sequence, sequenceText } from "./commands/sequence.ts"
import { failureText } from "./failureText.ts"
import { openSimTarget } from "./sim/openSimTarget.ts"
import { seededFaults } from "./testdata/seededFaults.ts"

const faulty = (name: string) => {
  const fault = seededFaults.find((one) => one.name === name)
  if (fault === undefined) throw new Error(`no fault ${name}`)
  return () => conforms(openSimTarget(fault.options()))
}

describe("a failure", () => {
  test("is shrunk, readable, and repeated exactly", async () => {
    const make = faulty("seq from 1")
    const found = await fc.check(make(), { numRuns: 150, seed: 7 })
    expect(found.failed).toBe(true)
    const [commands = []] = found.counterexample ?? []
    expect(commands.length).toBeLessThanOrEqual(3)
    expect(sequenceText(commands)).toContain("feed.start")
    const text = (found.errorInstance as Error).message
    expect(text).toContain("The service broke rules:\n  feed (command")
    expect(text).toContain("the rule: results of a feed are numbered without gap")
    expect(text).toMatch(/^1\. /m)
    expect(text).toMatch(/^ {5}< socket 0: \{"jsonrpc":"2\.0","method":"feed\.result"/m)

    const again = await fc.check(make(), { seed: found.seed, path: found.counterexamplePath ?? "", endOnFailure: true })
    expect(again.failed).toBe(true)
    expect(again.numRuns).toBe(1)
    expect(again.counterexample).toEqual(found.counterexample)
    // Only the ids of keys, runs and feeds are new.
    const withoutIds = (message: string): string => message.replaceAll(/[0-9a-f]{8}-[0-9a-f-]+|"apiKeyId":"[0-9a-f]+"|[0-9a-f]{12,}/g, "ID")
    expect(withoutIds((again.errorInstance as Error).message)).toBe(withoutIds(text))
  })

  test("shows of very many results the first and the last", async () => {
    const params = { execute: { execProgramId: "«program echo»" }, mode: "FIXED", periodicityMs: 10 }
    const start: Command = { kind: "request", socket: 0, method: "feed.start", params: JSON.stringify(params), waits: true }
    const played = await playSequence(openSimTarget(), [start, { kind: "pass", ms: 1_000 }])
    const violation: TrafficViolation = { rule: "feed", message: "a result is missing", step: 0 }
    const lines = failureText({ ...played, violations: [violation] }).split("\n")
    const told = played.history.sockets[0]?.heard.length ?? 0
    expect(told).toBeGreaterThan(100)
    const shown = lines.filter((line) => line.includes("< socket 0")).length
    expect(shown).toBeLessThan(25)
    // Its end is a line, too.
    expect(lines).toContain(`     … and ${told + 1 - shown} more`)
    expect(lines.at(-1)).toContain("closed with 1000")
  })
})

describe("what a target cannot do", () => {
  const kindsOf = (target: Parameters<typeof abilitiesOf>[0]): ReadonlySet<string> =>
    new Set(
      fc
        .sample(sequence(abilitiesOf(target), 40), { numRuns: 100, seed: 1 })
        .flat()
        .map(({ kind }) => kind)
    )

  test("is not asked for", () => {
    const plain = kindsOf({ baseUrl: "http://127.0.0.1:1", apiKey: "key" })
    expect([...plain].toSorted()).toEqual(["ask", "connect", "disconnect", "frame", "pass", "request"])
    const all = kindsOf(openSimTarget())
    expect([...all].filter((kind) => !plain.has(kind)).toSorted()).toEqual(["crash", "grant", "issue", "present", "revoke", "upstream"])
  })
})
