/** Programs that are dear to compile take their worker processes down at most: the server and the other tenants go on, its memory as before. */
import { readFileSync } from "node:fs"
import { assemble } from "@sibyl/testing/wasm"
import { afterAll, beforeAll, expect, test } from "vitest"
import { AttackedServer } from "./testdata/attackedServer.ts"
import { expectUnharmed } from "./testdata/expectUnharmed.ts"

const lines = (count: number, line: (at: number) => string): string => Array.from({ length: count }, (_, at) => line(at)).join("\n")

/** Loops inside loops, each of which changes some locals; the innermost is endless. */
const nestedLoops = (locals: number, depth: number, salt: number): Uint8Array =>
  assemble(`
import proc_exit
local one
${lines(locals, (at) => `local l${at}`)}
i32.const ${salt + 1}
local.set one
${lines(depth, (at) => `loop again${at}`)}
${lines(locals, (at) => `local.get l${at}\nlocal.get one\ni32.add\nlocal.set l${at}`)}
${lines(depth, (at) => `local.get one\nbr_if again${depth - 1 - at}\nend`)}
i32.const 0
call proc_exit
`)

/** Each another program, so that each is compiled. */
const programs = Array.from({ length: 12 }, (_, salt) => nestedLoops(60, 290, salt))

let server: AttackedServer

beforeAll(async () => {
  // Little more than a worker has before its first program.
  const configuration = { isolation: "process", workerMemoryMib: 128, limits: { execWallClockMs: 3_000 } }
  server = await AttackedServer.open(programs, { ...configuration, metrics: { access: "open" } })
})
afterAll(() => server.close())

const residentMib = (): number =>
  Number(/^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${server.server.process.pid}/status`, "utf8"))?.[1] ?? 0) / 1_024

test("a corpus of programs that are dear to compile", async () => {
  const seen = await server.during(async () => {
    const before = residentMib()
    for (let round = 0; round < 2; round += 1) {
      const answers = await Promise.all(server.programIds.map((program) => server.attackWith(program)))
      expect(answers.filter((status) => status !== 599 && status !== 503)).toEqual([])
    }
    const grown = residentMib() - before
    console.log(`the server's own memory grew by ${grown.toFixed(0)} MiB`)
    expect(grown).toBeLessThan(64)
  })
  expectUnharmed("programs dear to compile, in processes", seen)
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  const lost = [...metrics.matchAll(/^sibyl_workers_lost_total\{reason="(\w+)"\} (\d+)$/gm)].map(([, why, count]) => `${count} by ${why}`)
  console.log(`workers lost: ${lost.join(", ")}`)
  // How many, and whether any, depends on how fast the machine compiles. None dies of anything else, such as a crash.
  expect(lost.filter((text) => !/ by (?:deadline|memory)$/.test(text))).toEqual([])
  expect(metrics).toMatch(/^sibyl_runs_total\{/m)
})
