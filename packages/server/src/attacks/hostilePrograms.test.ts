/** The whole corpus of hostile programs over REST, on a started server: each answer is one of a program's, and the server stays as it was. */
import { readFileSync } from "node:fs"
import { bombs } from "@sibyl/testing/hostile"
import { soakCount } from "@sibyl/testing/soak"
import { afterAll, beforeAll, expect, test } from "vitest"
import { AttackedServer } from "./testdata/attackedServer.ts"
import { expectUnharmed } from "./testdata/expectUnharmed.ts"

// All of them in a soak; on every change every second one, as the tests of the machine run all.
const isSoak = soakCount({ everyday: 0, full: 1 }) > 0
const corpus = bombs.filter((_, at) => isSoak || at % 2 === 0)

let server: AttackedServer

beforeAll(async () => {
  // Long enough for the bystander on a busy machine.
  const configuration = { isolation: "process", limits: { execWallClockMs: 2_000, tallyWallClockMs: 2_000 }, metrics: { access: "open" } }
  server = await AttackedServer.open(
    corpus.map(({ program }) => program),
    configuration
  )
})
afterAll(() => server.close())

const residentMib = (): number =>
  Number(/^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${server.server.process.pid}/status`, "utf8"))?.[1] ?? 0) / 1_024

test(`${corpus.length} hostile programs, four at once`, async () => {
  const statuses = new Map<number | string, number>()
  let grownMib = 0
  const seen = await server.during(async () => {
    // What a server keeps of its first runs is no growth.
    for (let run = 0; run < 20; run += 1) await server.attackWith(server.echo, `${run}`)
    const before = residentMib()
    const waiting = [...server.programIds]
    const attack = async (): Promise<void> => {
      for (let program = waiting.shift(); program !== undefined; program = waiting.shift()) {
        const status = await server.attackWith(program)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }
    await Promise.all([attack(), attack(), attack(), attack()])
    grownMib = residentMib() - before
  })
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  const lost = [...metrics.matchAll(/^sibyl_workers_lost_total\{reason="(\w+)"\} (\d+)$/gm)].map(([, why, count]) => `${count} by ${why}`)
  console.log(
    `answers ${JSON.stringify([...statuses])}, workers lost: ${lost.join(", ")}; the server's own memory grew by ${grownMib.toFixed(0)} MiB`
  )
  expect([...statuses.keys()].filter((status) => status !== 200 && status !== 599)).toEqual([])
  expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBe(corpus.length)
  expect(grownMib).toBeLessThan(64)
  expectUnharmed("hostile programs", seen)
}, 300_000)
