/** `sibyl run` says why a tally phase was refused, and nothing where it began. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ProgramOutcome } from "@sibyl/devkit"
import { Effect } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { tallyRefusal } from "./tallyRefusal.ts"

let folder: string
let file: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sibyl-tally-"))
  file = join(folder, "empty.wasm")
  await writeFile(file, Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

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
  durationMs: 1,
  price: { base: 1n, gas: 0n, dataProxies: 0n, total: 1n }
})
const why = (tally: Partial<typeof phase> | null) => Effect.runPromise(tallyRefusal(outcome(tally), file, {}))

test("a module that no tally can run is told with its reason", async () => {
  expect(await why({ exitCode: 3 })).toBe("the module exports no function _start")
})

test("a tally that began, that went well, or that was not to run, has no reason", async () => {
  expect([await why({ exitCode: 252, gasUsed: 1n }), await why({}), await why(null)]).toEqual([undefined, undefined, undefined])
})
