/**
 * `npm run mutants`: takes the guards of `mutantList.mjs` out of copies of the sources, one at a time, and looks whether simulations, or the
 * test files that a mutant names, catch that. Writes the table of docs/SIMULATION.md. The exit code is 1 if less than 95 % are caught.
 * `-- --only ID,ID` judges some and writes no table; `-- --continue` leaves out what the run before has judged.
 */
import { spawn } from "node:child_process"
import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { bundleSimulation } from "./bundleSimulation.mjs"
import { mutants } from "./mutantList.mjs"
import { tableOf, withTable } from "./mutantTable.mjs"

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    continue: { type: "boolean", default: false },
    minutes: { type: "string", default: "60" },
    seeds: { type: "string", default: "200" },
    jobs: { type: "string", default: "2" }
  }
})

const root = fileURLToPath(new URL("../..", import.meta.url))
const folder = `${root}node_modules/.cache/mutants`
const page = `${root}docs/SIMULATION.md`
await mkdir(folder, { recursive: true })

/** How long a mutant may be simulated; one that makes the process itself hang is caught. */
const mostMs = 90_000

/** Runs a process of Node; its output, its exit code, and whether it had to be killed. */
const run = (args, env = {}) =>
  new Promise((resolve) => {
    // A group of its own: a test runner that hangs ends with its workers.
    const options = { cwd: root, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"], detached: true }
    const child = spawn(process.execPath, args, options)
    const said = []
    const timer = setTimeout(() => process.kill(-child.pid, "SIGKILL"), mostMs)
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => said.push(chunk))
    child.on("close", (code, signal) => {
      clearTimeout(timer)
      resolve({ text: Buffer.concat(said).toString(), code, isKilled: signal !== null })
    })
  })

const reportsIn = (text) =>
  text
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))

/** Which invariant caught it, by which seed; undefined if it survived. */
const simulated = async (mutant) => {
  const bundle = `${folder}/${mutant.id}.mjs`
  await bundleSimulation(bundle, mutant)
  const seeds = Array.from({ length: Number(values.seeds) }, (_, at) => at + 1)
  // A process at a time with fewer seeds: most mutants are caught by the first ones.
  for (let from = 0; from < seeds.length; from += 100) {
    const order = { seeds: seeds.slice(from, from + 100), steps: 40, trace: false, stop: true, sqliteEvery: 10 }
    const { code, isKilled, text } = await run([bundle, JSON.stringify(order)])
    const broken = reportsIn(text).find(({ failure }) => failure !== undefined)
    if (broken !== undefined) return `simulation, seed ${broken.seed}: ${broken.failure.invariant}`
    if (isKilled) return "simulation: it hangs"
    if (code !== 0) return "simulation: its process ends"
  }
  await rm(bundle)
  return undefined
}

const tested = async ({ id, tests = [] }) => {
  for (const test of tests) {
    const args = ["node_modules/vitest/vitest.mjs", "run", "--config", "scripts/simulation/mutantTests.config.mjs", test]
    const { code } = await run(args, { SIBYL_MUTANT: id })
    if (code !== 0) return `\`${test}\``
  }
  return undefined
}

const wanted = values.only?.split(",")
const waiting = mutants.filter(({ id }) => wanted === undefined || wanted.includes(id))
const kept = `${folder}/results.json`
const results = new Map(values.continue || wanted !== undefined ? JSON.parse(await readFile(kept, "utf8").catch(() => "[]")) : [])
const judge = async (mutant) => {
  const caughtBy = (await simulated(mutant)) ?? (await tested(mutant))
  results.set(mutant.id, caughtBy ?? null)
  await writeFile(kept, JSON.stringify([...results]))
  process.stdout.write(`${mutant.id}: ${caughtBy ?? "SURVIVED"}\n`)
}
const untilMs = performance.now() + Number(values.minutes) * 60_000
const queue = waiting.filter(({ id }) => wanted !== undefined || !results.has(id))
const takeTurns = async () => {
  for (let mutant = queue.shift(); mutant !== undefined && performance.now() < untilMs; mutant = queue.shift()) await judge(mutant)
}
await Promise.all(Array.from({ length: Number(values.jobs) }, takeTurns))

if (waiting.some(({ id }) => !results.has(id))) {
  process.stdout.write("not all were judged: go on with --continue\n")
  process.exit(2)
}
const caught = waiting.filter(({ id }) => results.get(id) !== null).length
process.stdout.write(`${caught} of ${waiting.length} mutants were caught\n`)
if (wanted === undefined) await writeFile(page, withTable(await readFile(page, "utf8"), tableOf(mutants, results)))
process.exit(caught < 0.95 * waiting.length ? 1 : 0)
