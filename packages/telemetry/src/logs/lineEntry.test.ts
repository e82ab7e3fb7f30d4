/** What is pushed of a line that goes past the loggers is what would be pushed of its entry. */
import { Context, Effect, FiberRef, FiberRefs, HashMap, HashSet, Logger, Tracer } from "effect"
import fc from "fast-check"
import { expect, it } from "vitest"
import { cleanLog } from "./cleanLog.ts"
import { lineEntry } from "./lineEntry.ts"

const text = fc.oneof(fc.string({ unit: "binary", maxLength: 20 }), fc.constantFrom("\u001b[2J", "\u009b31m", "\u202e"))
const fields = fc.dictionary(text, fc.oneof(text, fc.integer(), fc.double()), { maxKeys: 6 })
const span = Tracer.externalSpan({ traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" })

const told = ({ annotations, context, date, logLevel, message }: Logger.Logger.Options<unknown>) => ({
  fields: Object.fromEntries(HashMap.toEntries(annotations)),
  level: logLevel.label,
  message,
  isDated: date instanceof Date,
  span: Context.getOption(FiberRefs.getOrDefault(context, FiberRef.currentContext), Tracer.ParentSpan)
})

it.each([
  ["in a span", span],
  ["outside of spans", undefined]
] as const)("%s", (_where, within) => {
  fc.assert(
    fc.property(fields, text, (given, message) => {
      const pushed: Array<ReturnType<typeof told>> = []
      const logger = Logger.make((entry) => void pushed.push(told(cleanLog(entry, (one) => one))))
      const log = Effect.annotateLogs(Effect.logInfo(message), given)
      const here = within === undefined ? log : Effect.provideService(log, Tracer.ParentSpan, within)
      Effect.runSync(Effect.locally(here, FiberRef.currentLoggers, HashSet.make(logger)))
      const entry = lineEntry({ atMs: 1_700_000_000_123, level: "info", message, span: within }, given)
      // JSON makes null of such a number in both.
      expect(JSON.stringify([told(entry)])).toEqual(JSON.stringify(pushed))
      expect(entry.date.getTime()).toBe(1_700_000_000_123)
    })
  )
})
