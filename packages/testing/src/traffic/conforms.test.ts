/** A failure of `conforms` is shrunk to a short sequence, shown so that people can read it, and repeated by its seed and path. */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { abilitiesOf, conforms } from "./conforms.ts"
import { sequence, sequenceText } from "./commands/sequence.ts"
import { openSimTarget } from "./sim/openSimTarget.ts"
import { seededFaults } from "./testdata/seededFaults.ts"

const faulty = (name: string) => {
  const fault = seededFaults.find((one) => one.name === name)
  if (fault === undefined) throw new Error(`no fault ${name}`)
  return () => conforms(openSimTarget(fault.options()))
}

describe("a failure", () => {
  test("is shrunk, readable, and repeated exactly", { timeout: 120_000 }, async () => {
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
