/** The benchmark of the VM: B1 to B6. Each case runs in its own process. */
import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { compileKernel, kernelNames } from "./compile.mjs"
import { executionRows } from "./executions.mjs"
import { prefetchRows } from "./prefetch.mjs"

const run = promisify(execFile)
const file = (path) => fileURLToPath(new URL(path, import.meta.url))
const engines = { "Node.js": process.execPath, Bun: file("../../node_modules/.bin/bun") }
const programs = ["crypto-price", "equity-session", "metals-index"].map((name) => file(`../../programs/build/${name}.wasm`))

const caseOf = async (engine, script, files, flags = []) => {
  const { stdout } = await run(engines[engine], [...flags, file(script), ...files], { timeout: 300_000 })
  return JSON.parse(stdout)
}

const geometricMean = (values) => Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length)

const kernelRows = (engine, measured) => {
  const kernels = Object.entries(measured).map(([path, { bareMs, exactMs, fastMs }]) => ({
    name: basename(path, ".wasm"),
    fast: fastMs / bareMs,
    exact: exactMs / bareMs
  }))
  const worst = kernels.toSorted((a, b) => b.fast - a.fast)[0]
  const suffix = engine === "Bun" ? " on Bun" : ""
  return [
    {
      id: `B1${suffix}`,
      what: `${engine}: ${kernels.length} kernels, metered / bare, geometric mean`,
      value: geometricMean(kernels.map(({ fast }) => fast)),
      unit: "times",
      reach: 1.15,
      aim: 1.07,
      atMost: true
    },
    {
      id: `B2${suffix}`,
      what: `${engine}: the worst of them (${worst.name})`,
      value: worst.fast,
      unit: "times",
      reach: 1.4,
      aim: 1.25,
      atMost: true
    },
    {
      id: `B1 exact${suffix}`,
      what: `${engine}: the same on the exact build, which runs after a trap`,
      value: geometricMean(kernels.map(({ exact }) => exact)),
      unit: "times"
    },
    ...kernels.map(({ fast, name }) => ({
      id: `B1 ${name}${suffix}`,
      what: `${engine}: ${name}, metered / bare`,
      value: fast,
      unit: "times"
    }))
  ]
}

/** Engines decide anew in each process what they inline: a kernel with indirect calls takes 8 or 14 ms on Bun, metered or not. */
const kernelProcesses = 3

/** The least times of each kernel. */
const leastOf = (measured) => {
  const timesOf = (path) => Object.keys(measured[0][path]).map((build) => [build, Math.min(...measured.map((one) => one[path][build]))])
  return Object.fromEntries(Object.keys(measured[0]).map((path) => [path, Object.fromEntries(timesOf(path))]))
}

const measureIn = async (folder, tell) => {
  const files = []
  for (const name of kernelNames) {
    const path = join(folder, `${name}.wasm`)
    await writeFile(path, await compileKernel(name))
    files.push(path)
  }
  const rows = []
  for (const engine of Object.keys(engines)) {
    tell(`B1, B2: ${kernelNames.length} kernels, fast, exact and bare in turns, in ${kernelProcesses} processes on ${engine} (2 min)`)
    const measured = []
    for (let at = 0; at < kernelProcesses; at += 1) measured.push(await caseOf(engine, "kernelTimes.mjs", files))
    rows.push(...kernelRows(engine, leastOf(measured)))
  }
  for (const engine of Object.keys(engines)) {
    tell(`B4, B5: executions on ${engine} (30 s)`)
    rows.push(...(await executionRows(engine, programs[0], (...how) => caseOf(engine, ...how))))
  }
  tell("B3: the rewriter on the example programs")
  const { growth, msPerMb } = await caseOf("Node.js", "rewriting.mjs", programs)
  return [
    ...rows,
    { id: "B3", what: "Node.js: rewriting, warm", value: msPerMb, unit: "ms/MB", reach: 20, aim: 10, atMost: true },
    { id: "B3 size", what: "the example programs, metered / as they are", value: growth, unit: "times", reach: 1.6, atMost: true },
    ...(await prefetchRows(engines, tell))
  ]
}

/** Measures everything; `tell` is called with the name of each measurement. */
export const measure = async (tell) => {
  const folder = await mkdtemp(join(tmpdir(), "sibyl-bench-vm-"))
  try {
    return await measureIn(folder, tell)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
