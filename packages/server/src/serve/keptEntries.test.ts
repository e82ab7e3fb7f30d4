/** A line of the log is kept by the level of its part, or by that of the whole. */
import { logPart, type LogPart, logParts } from "@sibyl/core/internal"
import { Effect, Either, Logger, LogLevel } from "effect"
import fc from "fast-check"
import { expect, it } from "vitest"
import { type LevelName, levelNames, type LogLevels, logLevelsOf } from "../config/logSettings.ts"
import { readSettings } from "../config/readSettings.ts"
import { isTold, keepsEntry, lowestLevel } from "./keptEntries.ts"

const parts = Object.keys(logParts) as ReadonlyArray<LogPart>
const level = fc.constantFrom(...levelNames)
const given = fc.dictionary(fc.constantFrom<string>(...parts), level) as fc.Arbitrary<LogLevels>
const effectLevels = { debug: LogLevel.Debug, info: LogLevel.Info, warn: LogLevel.Warning, error: LogLevel.Error }

/** Whether a line gets to the log, with the bound of a service. */
const isWritten = (logLevel: LevelName | undefined, logLevels: LogLevels, part: LogPart | undefined, of: LevelName): boolean => {
  const configuration = { logLevel, logLevels }
  const keeps = keepsEntry(configuration)
  let count = 0
  const logger = Logger.make<unknown, void>((entry) => void (keeps(entry) && (count += 1)))
  const line = Effect.annotateLogs(Effect.logWithLevel(effectLevels[of], "line"), part === undefined ? {} : logPart(part))
  Effect.runSync(
    line.pipe(
      Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
      Logger.withMinimumLogLevel(effectLevels[lowestLevel(configuration) ?? "info"])
    )
  )
  return count === 1
}

it("is written if its part's level, or else that of the whole, is not above its own", () => {
  fc.assert(
    fc.property(
      fc.option(level, { nil: undefined }),
      given,
      fc.option(fc.constantFrom(...parts), { nil: undefined }),
      level,
      (whole, of, part, line) => {
        const bound = (part === undefined ? undefined : of[part]) ?? whole ?? "info"
        const wanted = levelNames.indexOf(line) >= levelNames.indexOf(bound)
        expect(isWritten(whole, of, part, line)).toBe(wanted)
        if (part !== undefined) expect(isTold({ logLevel: whole, logLevels: of }, part, line)).toBe(wanted)
      }
    )
  )
})

it("is configured by part; a refusal names the setting and its rule", () => {
  const read = (json: object) => readSettings({ flags: {}, environment: {}, file: { path: "sibyl.json", json } })
  const values = Either.getOrThrow(read({ logLevels: { upstreams: "debug", requests: "warn" } })).values
  expect(logLevelsOf(values)).toEqual({ upstreams: "debug", requests: "warn" })
  expect(Either.getOrThrow(Either.flip(read({ logLevels: { upstreams: "loud" } })))).toMatchObject({
    _tag: "InvalidConfiguration",
    field: "logLevels.upstreams",
    rule: "debug or info or warn or error"
  })
  expect(Either.getOrThrow(Either.flip(read({ logLevels: { upstream: "debug" } })))).toMatchObject({
    field: "logLevels.upstream",
    message: expect.stringContaining("logLevels.upstreams")
  })
})
