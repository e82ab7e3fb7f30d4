/**
 * The benchmark of edges: requests a second of `sibyl serve --edges N`, and the processor time of one request, by process. The servers are
 * pinned to one processor, or to none; the load has the other one, or what is left.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { load } from "../http/servers.mjs"
import { openOracle, runOnce } from "../http/oracle.mjs"

const sibyl = fileURLToPath(new URL("../../packages/server/bin/sibyl.js", import.meta.url))
const seconds = 3
const rounds = 3

/** Processor time of a process with all its threads, in ms; a tick of Linux is 10 ms. */
const processorMs = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ")
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const childrenOf = (pid) => {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim()
  return text === "" ? [] : text.split(" ").map(Number)
}

/** Starts the command on a database; the first of its processes is the supervisor, or the only one. */
const startServer = async (database, edges, processors) => {
  const words = [sibyl, "serve", "--json", "--port", "0", "--workers", "2", "--edges", String(edges), "--database", `sqlite:${database}`]
  const child = spawn("taskset", ["-c", processors, process.execPath, ...words], {
    stdio: ["ignore", "pipe", "inherit"],
    cwd: dirname(database)
  })
  const { url } = await new Promise((resolve, reject) => {
    let text = ""
    child.stdout.on("data", (chunk) => {
      text += chunk
      if (text.includes("\n")) resolve(JSON.parse(text))
    })
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)))
  })
  const ended = new Promise((resolve) => child.once("exit", resolve))
  return {
    port: Number(new URL(url).port),
    processes: () => [child.pid, ...childrenOf(child.pid)],
    stop: () => {
      child.kill("SIGTERM")
      return ended
    }
  }
}

const median = (list) => list.toSorted((left, right) => left - right)[Math.floor(list.length / 2)]

/** Rate, and processor time of one request: of all edges, and of the supervisor. */
const measured = async ({ port, processes }, authorization, path) => {
  const found = []
  for (let round = 0; round <= rounds; round += 1) {
    const pids = processes()
    const before = pids.map(processorMs)
    const startMs = performance.now()
    const { rate } = await load({ port, path, authorization, seconds: round === 0 ? 1 : seconds })
    const tookMs = performance.now() - startMs
    const times = pids.map((pid, at) => (processorMs(pid) - before[at]) / ((tookMs / 1_000) * rate))
    const [first, ...others] = times
    const edges = others.length === 0 ? first : others.reduce((sum, time) => sum + time, 0)
    if (round > 0) found.push({ rate, edges, supervisor: others.length === 0 ? 0 : first })
  }
  return Object.fromEntries(["rate", "edges", "supervisor"].map((name) => [name, median(found.map((one) => one[name]))]))
}

/** Measures everything; `tell` is called with the name of each measurement. */
export const measure = async (tell) => {
  const rows = []
  for (const processors of ["0", "0,1"]) {
    for (const edges of [1, 2]) {
      const folder = mkdtempSync(join(tmpdir(), "sibyl-bench-"))
      const database = join(folder, "bench.sqlite")
      const provisioned = await openOracle({ database })
      await runOnce(provisioned)
      await provisioned.oracle.close()
      const { authorization, remembered, run } = provisioned
      const server = await startServer(database, edges, processors)
      const where = `${edges} ${edges === 1 ? "edge" : "edges"} on processors ${processors}`
      for (const [what, path] of [
        ["remembered results", remembered],
        ["trivial executions", run]
      ]) {
        tell(`${what}, ${where}`)
        const { edges: ofEdges, rate, supervisor } = await measured(server, authorization, path)
        rows.push({ id: `${edges} on ${processors}`, what: `${what} a second`, value: rate, unit: "/s" })
        rows.push({ id: "", what: "processor time of the edges for one", value: ofEdges * 1_000, unit: "µs" })
        if (edges > 1) rows.push({ id: "", what: "processor time of the supervisor for one", value: supervisor * 1_000, unit: "µs" })
      }
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  }
  return rows
}
