/** What a test gives a run besides its inputs, which the service checks itself. From JavaScript it may be anything. */
import { didYouMean } from "@sibyl/core/internal"
import type { ProgramRun } from "./programRun.ts"

/** The names of a run's members. */
export const runNames: Readonly<Record<keyof ProgramRun, true>> = {
  program: true,
  tallyProgram: true,
  execInputs: true,
  tallyInputs: true,
  inputEncoding: true,
  gasLimits: true,
  lastResult: true,
  clockMs: true,
  http: true,
  symbols: true
}

/** What is wrong with the names of an object, of which a misspelled one would be ignored; undefined if nothing is. */
export const unfitNames = (given: unknown, known: Readonly<Record<string, true>>): string | undefined => {
  if (typeof given !== "object" || given === null) return "a run must be an object"
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name))
  return unknown === undefined ? undefined : `${unknown} is no option${didYouMean(unknown, Object.keys(known))}`
}

const isBytes = (value: unknown): boolean => value instanceof Uint8Array

const isTimeMs = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0

const isMomentMs = (value: unknown): boolean => Number.isFinite(value) && Number(value) >= 0

const isExitCode = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255

const bytesRule = "must be bytes (Uint8Array)"

/** The first member that breaks its rule, and the rule; undefined if none does. */
export const unfitInput = (run: ProgramRun): string | undefined => {
  const misnamed = unfitNames(run, runNames)
  if (misnamed !== undefined) return misnamed
  const { clockMs, http, lastResult: last, program, symbols, tallyProgram } = run
  const rules: ReadonlyArray<readonly [name: string, value: unknown, isFit: (value: unknown) => boolean, rule: string]> = [
    ["tallyProgram", tallyProgram, isBytes, bytesRule],
    ["symbols", symbols, isBytes, bytesRule],
    ["clockMs", clockMs, isTimeMs, "must be a whole number of milliseconds since the Unix epoch"],
    ["http", http, (value) => typeof value === "function", "must be a function that answers requests"],
    ["lastResult.exitCode", last?.exitCode, isExitCode, "must be a whole number from 0 to 255"],
    ["lastResult.timestampMs", last?.timestampMs, isMomentMs, "must be milliseconds since the Unix epoch"]
  ]
  if (!isBytes(program)) return `program ${bytesRule}`
  if (last !== undefined && !isBytes(last.result)) return `lastResult.result ${bytesRule}`
  const broken = rules.find(([, value, isFit]) => value !== undefined && !isFit(value))
  return broken === undefined ? undefined : `${broken[0]} ${broken[3]}`
}
