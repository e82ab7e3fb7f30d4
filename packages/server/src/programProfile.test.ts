/** `sibyl profile` and `--profile`, run as commands. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { call, encodeModule, end, hostImport, i32, i32Const, localGet, u32 } from "@sibyl/testing/wasm"
import { Schema } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { flameGraphFaults } from "./programs/testdata/flameGraphFaults.ts"
import { askSibyl, runSibyl, spawnSibyl } from "./testdata/runSibyl.ts"

const text = (words: string): ReadonlyArray<number> => [...u32(words.length), ...new TextEncoder().encode(words)]
const part = (id: number, content: ReadonlyArray<number>): ReadonlyArray<number> => [id, ...u32(content.length), ...content]

const imports = [hostImport.executionResult, hostImport.procExit]
const [leaf, countDown] = [2, 3]
const names = [
  [leaf, "leaf"],
  [countDown, "countDown"],
  [4, "main"]
] as const

const naming = [...text("name"), ...part(1, [...u32(names.length), ...names.flatMap(([index, name]) => [...u32(index), ...text(name)])])]

/** Calls `leaf` twice and `countDown` eleven times, writes a result, and exits with this code. */
const program = (code: number): Uint8Array =>
  encodeModule({
    imports,
    memory: 1,
    functions: [
      { code: [] },
      { parameters: [i32], code: [...localGet(0), 0x04, 0x40, ...localGet(0), ...i32Const(1), 0x6b, ...call(countDown), end] },
      {
        code: [call(leaf), call(leaf), i32Const(10), call(countDown), i32Const(0), i32Const(4), call(0), i32Const(code), call(1)].flat()
      }
    ],
    extra: [{ id: 0, content: naming }]
  })

const Row = Schema.Struct({ name: Schema.String, kind: Schema.String, self: Schema.String, total: Schema.String, calls: Schema.Number })
const Document = Schema.Struct({
  exitCode: Schema.Number,
  flameGraph: Schema.NullOr(Schema.String),
  phases: Schema.Array(
    Schema.Struct({ phase: Schema.String, gasUsed: Schema.String, missing: Schema.NullOr(Schema.String), rows: Schema.Array(Row) })
  )
})

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sibyl-profile-"))
  await writeFile(join(folder, "good.wasm"), program(0))
  await writeFile(join(folder, "bad.wasm"), program(3))
  await writeFile(join(folder, "endless.wasm"), encodeModule({ imports, memory: 1, functions: [{ code: [0x03, 0x40, 0x0c, 0, end] }] }))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const commandMs = 60_000

describe("sibyl profile", () => {
  test(
    "prints the gas of each function, and writes a flame graph beside the module",
    async () => {
      const said = await spawnSibyl(["profile", "good.wasm", "--inputs", "{}"], { cwd: folder })
      expect(said).toMatchObject({ code: 0, stderr: "" })
      expect(said.stdout).toMatch(/^execution: 5,0[\d,]+ gas\n +self +share +total +calls +function$/m)
      expect(said.stdout).toMatch(/^ +\d[\d,]+ +\d+\.\d % +\d[\d,]+ +11 {2}countDown$/m)
      expect(said.stdout).toMatch(/^ +40,000,000 +\d+\.\d % +40,000,000 +1 {2}seda_v1\.execution_result$/m)
      expect(said.stdout).toMatch(/^flame graph: good\.speedscope\.json /m)
      const graph: unknown = JSON.parse(await readFile(join(folder, "good.speedscope.json"), "utf8"))
      expect(flameGraphFaults(graph)).toEqual([])
      expect(graph).toMatchObject({ profiles: [{ name: "execution (gas)" }, { name: "tally (gas)" }] })
    },
    commandMs
  )

  test(
    "gives scripts rows that sum to the gas of a plain run, in each phase",
    async () => {
      const profile = Schema.decodeUnknownSync(Document)(await askSibyl(["profile", "good.wasm", "--output", "x.json"], { cwd: folder }))
      const ran = await askSibyl(["run", "good.wasm"], { cwd: folder })
      const [exec, tally] = profile.phases
      expect(ran).toMatchObject({ phases: { exec: { gasUsed: exec?.gasUsed }, tally: { gasUsed: tally?.gasUsed } } })
      expect([exec?.phase, tally?.phase, profile.flameGraph]).toEqual(["exec", "tally", "x.json"])
      for (const { gasUsed, rows } of profile.phases) {
        expect(rows.reduce((sum, { self }) => sum + BigInt(self), 0n)).toBe(BigInt(gasUsed))
        expect(rows.map(({ calls, name }) => `${name} ${calls}`).toSorted()).toEqual([
          "(start) 1",
          "countDown 11",
          "leaf 2",
          "main 1",
          "seda_v1.execution_result 1",
          "wasi_snapshot_preview1.proc_exit 1"
        ])
      }
    },
    commandMs
  )

  test(
    "shows the gas of a program that fails, and of one that runs out of gas",
    async () => {
      const failed = await runSibyl(["profile", "bad.wasm", "--json"], { cwd: folder })
      expect(failed.code).toBe(1)
      expect(JSON.parse(failed.stdout)).toMatchObject({ exitCode: 3, phases: [{ phase: "exec", missing: null }] })
      expect(JSON.parse(failed.stderr)).toMatchObject({ message: "the program ended with exit code 3" })
      const short = await runSibyl(["profile", "endless.wasm", "--gas-limit", "6,000,000,000,000", "--json"], { cwd: folder })
      const { phases } = Schema.decodeUnknownSync(Document)(JSON.parse(short.stdout))
      expect(phases.map(({ gasUsed, rows }) => [gasUsed, rows.map(({ name, self }) => `${name} ${self}`)])).toEqual([
        ["6000000000000", ["(start) 5000000000000", "_start 1000000000000"]]
      ])
    },
    commandMs
  )

  test(
    "reports that there is no profile",
    async () => {
      const limits = ["--gas-limit", "9,000,000,000,000,000,000", "--set", "limits.execWallClockMs=200"]
      const said = await runSibyl(["profile", "endless.wasm", ...limits], { cwd: folder })
      expect(said.stdout).toMatch(/^no profile: the wall clock ended the phase\n\nno flame graph$/m)
    },
    commandMs
  )

  test(
    "refuses a graph file that does not end in .json, and a missing module",
    async () => {
      const wrong = await runSibyl(["profile", "good.wasm", "--output", "x.txt"], { cwd: folder })
      expect(wrong).toMatchObject({ code: 2, stderr: 'sibyl: --output must be a file that ends in .json, not "x.txt"\n' })
      const gone = await runSibyl(["profile", "gone.wasm"], { cwd: folder })
      expect(gone).toMatchObject({ code: 1, stderr: "sibyl: there is no file gone.wasm\n" })
    },
    commandMs
  )
})

test(
  "of a file that is no module it says so, and has the flame graph beside it, as of a module of any name",
  async () => {
    await writeFile(join(folder, "notes.txt"), "notes")
    const said = await runSibyl(["profile", "notes.txt"], { cwd: folder })
    expect(said).toMatchObject({ code: 1, stderr: "sibyl: the program ended with exit code 1\n" })
    expect(said.stdout).toMatch(/^flame graph: notes\.txt\.speedscope\.json [^]*^execution, stderr\n {2}not a WebAssembly module$/m)
  },
  commandMs
)

test.each([
  ["test", "good.wasm is a file, and not the folder of a program, which has its cases in cases/; a module is given with --program"],
  ["build", "good.wasm is a file, and not the folder of a program, which has its sources in it"],
  ["new", "notes is a file, and not the folder of a program"],
  ["deploy", "folder is a folder: sibyl build makes a module of a program's folder, in build/"]
])(
  "sibyl %s tells a file from a folder",
  async (command, message) => {
    await writeFile(join(folder, "notes"), "")
    await mkdir(join(folder, "folder"), { recursive: true })
    const [path = ""] = message.split(" ")
    expect(await runSibyl([command, path], { cwd: folder })).toMatchObject({ code: 1, stderr: `sibyl: ${message}\n` })
  },
  commandMs
)

describe("--profile", () => {
  const dearest = [{ name: "countDown", calls: 11 }, { name: "main" }, { name: "leaf" }]

  test(
    "adds the three functions with the most gas to a run, and changes nothing else",
    async () => {
      const given = ["run", "good.wasm", "--time", "2026-01-05T12:00:00Z", "--json"]
      const plain: unknown = JSON.parse((await runSibyl(given, { cwd: folder })).stdout)
      const profiled: unknown = JSON.parse((await runSibyl([...given, "--profile"], { cwd: folder })).stdout)
      expect(plain).not.toHaveProperty("dearest")
      expect(profiled).toMatchObject({
        ...(plain as object),
        durationMs: expect.any(Number),
        dearest: [{ phase: "exec" }, { phase: "tally" }]
      })
      expect(profiled).toHaveProperty("dearest.0.functions", expect.objectContaining({ length: 3 }))
      expect(profiled).toMatchObject({ dearest: [{ functions: dearest }, { functions: dearest }] })
    },
    commandMs
  )

  test(
    "adds them to each golden case",
    async () => {
      await mkdir(join(folder, "my-feed", "cases"), { recursive: true })
      await writeFile(join(folder, "my-feed", "cases", "one.json"), JSON.stringify({ expect: { exitCode: 0, result: "0x00000000" } }))
      const said = await runSibyl(["test", "my-feed", "--program", "good.wasm", "--profile", "--json"], { cwd: folder })
      expect(said.code).toBe(0)
      expect(JSON.parse(said.stdout)).toMatchObject({ cases: [{ name: "one", dearest: [{ functions: dearest }, { functions: dearest }] }] })
    },
    commandMs
  )
})
