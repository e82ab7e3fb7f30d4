/**
 * The benchmark of fairness: runs of one tenant, one after the other over HTTP, alone and beside 150 runs of another tenant whose programs end
 * only when their gas does; and `/health` meanwhile. One server with two workers on a SQLite file.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assemble } from "@sibyl/testing/wasm"
import { openSibyl } from "@sibyl/server"

const sibyl = fileURLToPath(new URL("../../packages/server/bin/sibyl.js", import.meta.url))
const [warmUpMs, aloneMs, besideMs] = [3_000, 10_000, 60_000]
const floodingRuns = 150
const healthProbes = 200

const endless = "import proc_exit\nloop forever\n  br forever\nend\ni32.const 0\ncall proc_exit"
const quick = "import execution_result\nimport proc_exit\ni32.const 0\ni32.const 4\ncall execution_result\ni32.const 0\ncall proc_exit"

/** Makes both tenants and their programs. */
const prepare = async (database) => {
  const oracle = await openSibyl({ database, workers: 1, logLevel: "error" })
  const tenant = async (organizationSlug) => {
    const { projectId } = await oracle.createProject({ organizationSlug })
    await oracle.grant(projectId, 1_000_000_000n)
    return (await oracle.issueKey(projectId)).key
  }
  const [flooding, quiet] = [await tenant("flooding"), await tenant("quiet")]
  const programs = [await oracle.deploy(assemble(endless)), await oracle.deploy(assemble(quick))]
  await oracle.close()
  return { flooding, quiet, endlessId: programs[0], quickId: programs[1] }
}

const startServer = async (database) => {
  const words = ["serve", "--json", "--port", "0", "--workers", "2", "--database", `sqlite:${database}`, "--set", "logLevel=error"]
  const child = spawn(process.execPath, [sibyl, ...words], { stdio: ["ignore", "pipe", "inherit"] })
  const line = await new Promise((resolve, reject) => {
    child.stdout.once("data", resolve)
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)))
  })
  return { child, url: JSON.parse(line).url }
}

const timed = async (url, key) => {
  const startedAt = performance.now()
  const response = await fetch(url, key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } })
  await response.arrayBuffer()
  return { status: response.status, ms: performance.now() - startedAt }
}

const quantile = (times, part) => times.toSorted((left, right) => left - right)[Math.floor(part * (times.length - 1))]

/** Times of runs one after the other, each of which must succeed. */
const runsFor = async (durationMs, ask) => {
  const times = []
  for (const until = performance.now() + durationMs; performance.now() < until;) {
    const { ms, status } = await ask(times.length)
    if (status !== 200) throw new Error(`a run of the quiet tenant was answered ${status}`)
    times.push(ms)
  }
  return times
}

const healthTimes = async (url) => {
  const times = []
  for (let probe = 0; probe < healthProbes; probe += 1) {
    times.push((await timed(`${url}/health`)).ms)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return times
}

const measureOn = async ({ endlessId, flooding, quickId, quiet }, url, tell) => {
  const ask = (number) => timed(`${url}/execute?execProgramId=${quickId}&execInputs=${number}`, quiet)
  await runsFor(warmUpMs, ask)
  tell(`the quiet tenant alone (${aloneMs / 1_000} s)`)
  const alone = await runsFor(aloneMs, ask)
  const over = new AbortController()
  const flood = async (number) => {
    while (!over.signal.aborted) await timed(`${url}/execute?execProgramId=${endlessId}&execInputs=${number}`, flooding)
  }
  const floods = Promise.all(Array.from({ length: floodingRuns }, (_, number) => flood(number)))
  tell(`the quiet tenant beside ${floodingRuns} endless runs (${besideMs / 1_000} s)`)
  await runsFor(warmUpMs, ask)
  const beside = await runsFor(besideMs, ask)
  const health = await healthTimes(url)
  over.abort()
  await floods
  return { alone, beside, health }
}

const row = (what, value) => ({ id: "fairness", what, value, unit: "ms" })

/** The rows. */
export const measure = async (tell) => {
  const folder = mkdtempSync(join(tmpdir(), "sibyl-fairness-"))
  const database = join(folder, "sibyl.sqlite")
  try {
    const tenants = await prepare(database)
    const { child, url } = await startServer(database)
    const { alone, beside, health } = await measureOn(tenants, url, tell)
    child.kill("SIGTERM")
    await new Promise((resolve) => child.once("exit", resolve))
    return [
      row("a run of one tenant alone, p50", quantile(alone, 0.5)),
      row("the same, p99", quantile(alone, 0.99)),
      row(`beside ${floodingRuns} endless runs of another tenant, p50`, quantile(beside, 0.5)),
      row("the same, p99", quantile(beside, 0.99)),
      row("/health meanwhile, p99", quantile(health, 0.99))
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
