/**
 * `npm run simulate -- --seeds 1000`: whole services on virtual time, one for each seed, with faults of every kind, and every invariant
 * checked after every step. `--seed S --trace` repeats one and prints what happened. The exit code is 1 if an invariant was broken.
 */
import { spawn } from "node:child_process"
import { mkdir } from "node:fs/promises"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { bundleSimulation } from "./bundleSimulation.mjs"

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "200" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    steps: { type: "string", default: "40" },
    jobs: { type: "string", default: "1" },
    "sqlite-every": { type: "string", default: "8" },
    trace: { type: "boolean", default: false },
    runtime: { type: "string", default: "node" }
  }
})

const root = fileURLToPath(new URL("../..", import.meta.url))
const folder = `${root}node_modules/.cache/simulation`
const bundle = `${folder}/simulation.mjs`
await mkdir(folder, { recursive: true })
await bundleSimulation(bundle)

const wanted =
  values.seed === undefined ? Array.from({ length: Number(values.seeds) }, (_, at) => Number(values.from) + at) : [Number(values.seed)]
const command = values.runtime === "bun" ? `${root}node_modules/.bin/bun` : process.execPath
const total = { seeds: 0, steps: 0, runs: 0, charges: 0, requests: 0, connections: 0, lastedMs: 0 }
const faults = new Map()
const failures = []
const startedMs = performance.now()
let toldMs = startedMs

const say = (text) => process.stdout.write(`${text}\n`)
const seconds = () => (performance.now() - startedMs) / 1_000

const take = (report) => {
  total.seeds += 1
  for (const name of Object.keys(total)) total[name] += report[name] ?? 0
  for (const [kind, count] of Object.entries(report.faults)) faults.set(kind, (faults.get(kind) ?? 0) + count)
  if (report.trace !== undefined) say(report.trace.join("\n"))
  if (report.failure !== undefined) {
    failures.push(report)
    const { invariant, message, step } = report.failure
    say(`BROKEN by seed ${report.seed} in step ${step}: ${invariant}: ${message}`)
  }
  if (performance.now() - toldMs < 10_000) return
  toldMs = performance.now()
  say(`${total.seeds} of ${wanted.length} seeds, ${(total.seeds / seconds()).toFixed(1)} a second, ${failures.length} broken`)
}

const work = (seeds) =>
  new Promise((resolve, reject) => {
    const order = {
      seeds,
      steps: Number(values.steps),
      trace: values.trace,
      stop: false,
      sqliteEvery: Number(values["sqlite-every"])
    }
    const child = spawn(command, [bundle, JSON.stringify(order)], { stdio: ["ignore", "pipe", "inherit"] })
    createInterface({ input: child.stdout }).on("line", (line) => take(JSON.parse(line)))
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`a process of the simulation ended with ${code}`))))
  })

/** Few seeds for each process: what crashed services leave behind is not collected before their process ends. */
const batch = 100
const batches = Array.from({ length: Math.ceil(wanted.length / batch) }, (_, at) => wanted.slice(at * batch, (at + 1) * batch))
const takeTurns = async () => {
  for (let seeds = batches.shift(); seeds !== undefined; seeds = batches.shift()) await work(seeds)
}
await Promise.all(Array.from({ length: Number(values.jobs) }, takeTurns))

say(`${total.seeds} seeds in ${seconds().toFixed(1)} s (${(total.seeds / seconds()).toFixed(1)} a second), ${failures.length} broken`)
say(`${total.steps} steps, ${total.requests} requests, ${total.connections} connections, ${total.runs} runs, ${total.charges} charges`)
say(`${(total.lastedMs / 3_600_000).toFixed(1)} hours of virtual time`)
for (const [kind, count] of [...faults].toSorted(([, one], [, other]) => other - one)) say(`  ${String(count).padStart(8)} ${kind}`)
for (const { seed } of failures) say(`npm run simulate -- --seed ${seed} --steps ${values.steps} --trace`)
if (failures.length > 0) process.exitCode = 1
