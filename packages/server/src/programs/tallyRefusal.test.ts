/** `sibyl run` says why a tally phase was refused, and nothing where it began. */
import type { ProgramOutcome } from "@sibyl/devkit"
import { expect, test } from "vitest"
import { tallyRefusal } from "./tallyRefusal.ts"

const empty = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)
const none = new Uint8Array()
const phase = { exitCode: 0, gasUsed: 0n, result: none, stdout: "", stderr: "" }
const outcome = (tally: Partial<typeof phase> | null): ProgramOutcome => ({
  programId: "",
  tallyProgramId: "",
  drId: "",
  exitCode: tally?.exitCode ?? 1,
  result: none,
  text: "",
  gasUsed: 0n,
  exec: phase,
  tally: tally === null ? null : { ...phase, ...tally },
  calls: [],
  profiles: [],
  durationMs: 1,
  price: { base: 1n, gas: 0n, dataProxies: 0n, total: 1n }
})
const why = (tally: Partial<typeof phase> | null): string | undefined => tallyRefusal(outcome(tally), empty, {})

test("a module that the tally phase cannot run is reported with its reason", () => {
  expect(why({ exitCode: 3 })).toBe("the module exports no function _start")
})

test("a tally that began, succeeded, or was skipped has no reason", () => {
  expect([why({ exitCode: 252, gasUsed: 1n }), why({}), why(null)]).toEqual([undefined, undefined, undefined])
})
