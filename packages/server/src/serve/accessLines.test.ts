/** A line that goes past the loggers says what the logger of JSON lines would have said, and hides as much. */
import { type AccessLine, AccessLog, type AccessLogging, writeLine } from "@sibyl/core/internal"
import { cleanLines, jsonLine, jsonLineWriter } from "@sibyl/telemetry"
import { Effect, FiberRef, HashSet, Logger } from "effect"
import fc from "fast-check"
import { expect, it } from "vitest"
import { accessLines } from "./accessLines.ts"

const secret = "sesame-3f9a"
const mask = (text: string): string => text.replaceAll(secret, "<secret>")

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom(secret, `"${secret}"`, `${secret}\n`, "\u001b[2J", "\u009b31m", "\u202e")
)
const fields = fc.dictionary(text, fc.oneof(text, fc.integer(), fc.double()), { maxKeys: 6 })

/** The line without its time, in a span. */
const written = (logging: AccessLogging, lines: Array<string>, line: AccessLine): unknown => {
  const told = Effect.withFiberRuntime<void>((fiber) => writeLine(logging.write, line, fiber) ?? Effect.void)
  Effect.runSync(Effect.withSpan(told, "request", { attributes: {} }))
  const { span_id, time, trace_id, ...rest } = JSON.parse(lines.at(-1) ?? "") as Record<string, unknown>
  expect([span_id, trace_id].map((id) => typeof id)).toEqual(["string", "string"])
  expect(new Date(String(time)).toISOString()).toBe(time)
  return rest
}

it("for any fields", () => {
  fc.assert(
    fc.property(fields, fc.constantFrom("request", `run ${secret}`), (given, message) => {
      const [past, through]: [Array<string>, Array<string>] = [[], []]
      const logger = Logger.make((entry) => void through.push(jsonLine(entry, mask)))
      const direct = accessLines(
        () => true,
        cleanLines(
          mask,
          jsonLineWriter((line) => void past.push(line))
        )
      )
      const { write } = AccessLog.toLoggers(true)
      const logged: AccessLogging = {
        isOn: true,
        write: (line, place) => Effect.locally(write(line, place) ?? Effect.void, FiberRef.currentLoggers, HashSet.make(logger))
      }
      const line = { part: "requests", message, fields: given } as const
      expect(written(direct, past, line)).toEqual(written(logged, through, line))
      expect(past[0]).not.toContain(secret)
      expect(past[0]).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/)
    })
  )
})

it("of the parts that are kept only", () => {
  const lines: Array<string> = []
  const { write } = accessLines(
    (part) => part === "runs",
    jsonLineWriter((line) => void lines.push(line))
  )
  const place = { atMs: 0, span: undefined }
  expect([
    write({ part: "requests", message: "request", fields: {} }, place),
    write({ part: "runs", message: "run", fields: {} }, place)
  ]).toEqual([undefined, undefined])
  expect(lines.map((line) => (JSON.parse(line) as { message: string }).message)).toEqual(["run"])
})
