/** What is logged of work that failed: one line of an outage, the whole cause of a fault. */
import { Cause, Effect, HashMap, Logger, LogLevel } from "effect"
import { expect, test } from "vitest"
import { logFailed } from "./logFailed.ts"
import { StoreUnavailable } from "../storeUnavailable.ts"

/** Each line with its level, what it annotates, and whether it has a cause. */
const linesOf = (...given: Parameters<typeof logFailed>) => {
  const lines: Array<unknown> = []
  const logger = Logger.make(({ annotations, cause, logLevel, message }) => {
    lines.push([logLevel._tag, [message].flat().join(" "), HashMap.toEntries(annotations), Cause.isEmpty(cause) ? "one line" : "a cause"])
  })
  Effect.runSync(Effect.provide(logFailed(...given), Logger.replace(Logger.defaultLogger, logger)))
  return lines
}

test("a store that is away is a warning of one line, however bad a fault would be", () => {
  const away = Cause.sequential(Cause.die(new StoreUnavailable("the database is away")), Cause.empty)
  const line = ["Warning", "a lease was not renewed: the database is away", [["part", "feeds"]], "one line"]
  expect(linesOf("a lease was not renewed", away, { part: "feeds", fault: LogLevel.Error })).toEqual([line])
})

test("anything else is logged with its cause, at its level", () => {
  const fault = Cause.die(new Error("a fault"))
  expect(linesOf("it failed", fault)).toEqual([["Warning", "it failed", [], "a cause"]])
  expect(linesOf("it failed", fault, { part: "storage", fault: LogLevel.Error })).toEqual([
    ["Error", "it failed", [["part", "storage"]], "a cause"]
  ])
})
