/** Modules that are expensive to compile: refused before an engine sees them, or compiled and run within bounds. */
import { soakCount } from "@sibyl/testing/soak"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { meterProgram, meterProgramExactly } from "../pass/prepare.ts"
import { compileBomb } from "../testdata/compileBombs.ts"
import { runWatched } from "../testdata/watchedProcess.ts"

const kindOf = (bytes: Uint8Array): string => {
  const verdict = meterProgram(bytes, "exec", 160)
  return verdict.accepted ? "accepted" : verdict.refusal.kind
}

describe("refused before compiling", () => {
  it.each([
    ["6 KB: locals and branches", compileBomb.localsIf(20_000, 1_200)],
    ["18 KB: locals and branches", compileBomb.localsIf(20_000, 3_600)],
    ["380 KB: locals and branches", compileBomb.localsIf(20_000, 76_000)],
    ["locals and blocks", compileBomb.localsBranch(20_000, 1_000)],
    ["locals and loops", compileBomb.localsLoops(20_000, 500)],
    ["183 KB: operands and branches", compileBomb.operandsIf(30_000, 18_000)],
    ["operands and calls", compileBomb.operandsCalls(10_000, 1_000)],
    ["parameters and branches", compileBomb.parametersIf(1_000, 4_000)],
    ["parameters and results of blocks", compileBomb.blockTypes(1_000, 3_000)],
    ["locals and targets of a table", compileBomb.brTable(20_000, 65_000)],
    ["results and targets of a table", compileBomb.brTableResults(1_000, 65_000)],
    ["targets around each other", compileBomb.brTableNested(2_000, 1_900)],
    ["values joined behind a block", compileBomb.forwardJoins(5_000, 3_000)],
    ["118 KB: values joined in a loop", compileBomb.backEdges(5_000, 8_000)],
    ["592 KB: values joined in a loop", compileBomb.backEdges(10_000, 60_000)],
    ["few values joined in a loop, very often", compileBomb.backEdges(1, 10_000)],
    ["values joined in loops inside loops", compileBomb.nestedLoops(1_000, 1_000)],
    ["loops inside loops", compileBomb.nestedLoops(1, 1_000)],
    ["values joined in loops behind each other", compileBomb.loopRow(20, 5_000)],
    ["values kept across fills", compileBomb.fillsAcross(1_000, 6_000)],
    ["values kept across growing", compileBomb.growsAcross(2_500, 2_500)],
    ["indirect calls", compileBomb.indirectCalls(9_000)],
    ["branches", compileBomb.ifs(20_000)],
    ["branches in 40 functions", compileBomb.hotIfs(40, 2_500)],
    ["branches in 500 functions", compileBomb.hotIfs(500, 220)],
    ["loops in 40 functions", compileBomb.hotLoops(40, 400)],
    ["memory copied in 500 functions", compileBomb.hotCopies(500, 200)],
    ["ways out", compileBomb.returns(30_000)],
    ["loops", compileBomb.loops(20_000)],
    ["a chain of signed divisions", compileBomb.divisions(3_000)],
    ["float stores", compileBomb.floatStores(60_000)],
    ["memory filled", compileBomb.fills(60_000)]
  ])("%s", (_, bytes) => {
    expect(kindOf(bytes)).toBe("bound")
  })
})

/** Just within the bounds, one for each kind of cost. */
const accepted: ReadonlyArray<readonly [string, Uint8Array]> = [
  ["branches over operands in 500 functions, all hot", compileBomb.hotOperands(500, 163)],
  ["locals and branches", compileBomb.localsIf(2_000, 600)],
  ["operands and branches", compileBomb.operandsIf(2_000, 600)],
  ["parameters and branches", compileBomb.parametersIf(900, 1_200)],
  ["parameters and results of blocks", compileBomb.blockTypes(900, 900)],
  ["targets around each other", compileBomb.brTableNested(700, 1_100)],
  ["values joined behind a block", compileBomb.forwardJoins(2_000, 900)],
  ["values joined in a loop", compileBomb.backEdges(100, 300)],
  ["few values joined in a loop, often", compileBomb.backEdges(12, 800)],
  ["values joined in loops inside loops", compileBomb.nestedLoops(60, 300)],
  ["loops inside loops", compileBomb.nestedLoops(1, 400)],
  ["values joined in loops behind each other", compileBomb.loopRow(20, 2_000)],
  ["values kept across fills", compileBomb.fillsAcross(1_000, 900)],
  ["values kept across growing", compileBomb.growsAcross(1_000, 1_500)],
  ["indirect calls", compileBomb.indirectCalls(1_400)],
  ["branches", compileBomb.ifs(6_500)],
  ["ways out", compileBomb.returns(9_800)],
  ["loops", compileBomb.loops(3_900)],
  ["a chain of signed divisions", compileBomb.divisions(490)],
  ["float stores", compileBomb.floatStores(9_800)],
  ["memory filled", compileBomb.fills(4_900)],
  ["branches in 40 functions, all hot", compileBomb.hotIfs(40, 1_000)],
  ["branches in 500 functions, all hot", compileBomb.hotIfs(500, 190)],
  ["loops in 40 functions, all hot", compileBomb.hotLoops(40, 290)],
  ["memory copied in 500 functions, all hot", compileBomb.hotCopies(500, 140)]
]

describe("accepted, and compiled and run in a process of its own", () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sibyl-compile-"))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const script = fileURLToPath(new URL("../testdata/compileAndRun.mjs", import.meta.url))

  /** A slice of gas in the units that each build counts in. */
  const slices = { fast: 10_000_000, exact: 20_000_000_000 }

  const build = (which: keyof typeof slices, bytes: Uint8Array): Uint8Array => {
    const fast = meterProgram(bytes, "exec", 160)
    if (!fast.accepted) throw new Error(fast.refusal.message)
    if (which === "fast") return fast.value.metered
    const exact = meterProgramExactly({ bytes, phase: "exec", memoryPages: 160 })
    if (!exact.accepted) throw new Error(exact.refusal.message)
    return exact.value
  }

  // The exact build is code of the same shape, so only a few are tested every day.
  const exactly = accepted.slice(0, soakCount({ everyday: 4, full: accepted.length }))
  const builds = [
    ...accepted.map(([name, bytes]) => ["fast", name, bytes] as const),
    ...exactly.map(([name, bytes]) => ["exact", name, bytes] as const)
  ]

  it.each(builds)("%s: %s", async (which, name, bytes) => {
    const file = join(folder, `${which}-${name.replaceAll(/\W/g, "-")}.wasm`)
    await writeFile(file, build(which, bytes))
    const run = await runWatched(script, [file, String(slices[which])], { maxMib: 320, maxMs: 50_000 })
    expect(run).toMatchObject({ exitCode: 0, output: "ended\n" })
  })
})
