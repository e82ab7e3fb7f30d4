/** A line of the log is JSON whatever is logged, has no secret, and nothing that a terminal would obey. */
import { Cause, Effect, FiberRef, HashSet, Logger } from "effect"
import fc from "fast-check"
import { expect, it } from "vitest"
import { jsonLine } from "./jsonLine.ts"

const secret = "sesame-3f9a"
const mask = (text: string): string => text.replaceAll(secret, "<secret>")

const lineOf = (effect: Effect.Effect<void>): string => {
  const lines: Array<string> = []
  const logger = Logger.make((entry) => void lines.push(jsonLine(entry, mask)))
  Effect.runSync(Effect.locally(effect, FiberRef.currentLoggers, HashSet.make(logger)))
  return lines.join("\n")
}

interface Line {
  readonly level: string
  readonly message: string
  readonly fields?: Readonly<Record<string, unknown>>
}

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom(secret, `"${secret}"`, `${secret}\n`, "\u001b[2J", "\u009b31m", "\u202e")
)
const value = fc.oneof(
  text,
  fc.integer(),
  fc.bigInt(),
  fc.boolean(),
  fc.constant(null),
  fc.dictionary(text, text, { maxKeys: 3 }),
  fc.array(text)
)

it("for any texts and values", () => {
  fc.assert(
    fc.property(text, fc.dictionary(text, value, { maxKeys: 5 }), (message, fields) => {
      const line = lineOf(Effect.annotateLogs(Effect.logInfo(message), fields))
      expect(line).not.toContain(secret)
      expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/)
      const read = JSON.parse(line) as Line
      expect(read.level).toBe("info")
      expect(read.message).toBe(mask(message))
      const wanted = Object.entries(fields).map(([name, one]) => [
        mask(name),
        mask(JSON.stringify(one, (_, each: unknown) => (typeof each === "bigint" ? String(each) : each)))
      ])
      expect(Object.fromEntries(Object.entries(read.fields ?? {}).map(([name, one]) => [name, JSON.stringify(one)]))).toEqual(
        Object.fromEntries(wanted)
      )
    })
  )
})

it("with an error, a cause and what has no form in JSON", () => {
  const loop: Record<string, unknown> = {}
  loop["self"] = loop
  const fields = { error: new TypeError(`no ${secret}`), loop, nothing: undefined, call: () => 1 }
  const read = JSON.parse(lineOf(Effect.annotateLogs(Effect.logWarning("it", Cause.fail(new Error(secret))), fields))) as Line
  expect(read.message).toMatch(/^it .*<secret>/s)
  expect(read.fields).toEqual({ error: "TypeError: no <secret>", loop: "object", nothing: "undefined", call: "function" })
})
