/** B6: three requests of a known program take about as long as one, because they are prefetched. */
import { execFile, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const run = promisify(execFile)
const file = (path) => fileURLToPath(new URL(path, import.meta.url))
const delayMs = 20

const rowsOf = (engine, { alone, one, oneAfterAnother, three }) => {
  const suffix = engine === "Bun" ? " on Bun" : ""
  const row = (id, what, value, unit) => ({ id: `B6${id}${suffix}`, what: `${engine}: ${what}`, value, unit })
  const measured = row("", `three ${delayMs} ms requests of a known program, p50 / one request alone`, three / alone, "times")
  return [
    { ...measured, reach: 1.25, aim: 1.1, atMost: true },
    row(" one", "a run with one request / the request alone", one / alone, "times"),
    row(" off", "three requests without prefetching / one request alone", oneAfterAnother / alone, "times"),
    row(" ms", "a run with three requests, p50", three, "ms")
  ]
}

/** The rows of B6 on each engine, given as executables by name. */
export const prefetchRows = async (engines, tell) => {
  const upstream = spawn(process.execPath, [file("delayedUpstream.mjs"), String(delayMs)], { stdio: ["ignore", "pipe", "inherit"] })
  try {
    const port = await new Promise((resolve, reject) => {
      upstream.stdout.once("data", (line) => resolve(String(line).trim()))
      upstream.once("exit", () => reject(new Error("the upstream ended")))
    })
    const rows = []
    for (const [engine, executable] of Object.entries(engines)) {
      tell(`B6: runs with one and three requests, in turns, on ${engine} (20 s)`)
      const { stdout } = await run(executable, [file("prefetchTimes.mjs"), port], { timeout: 120_000 })
      rows.push(...rowsOf(engine, JSON.parse(stdout)))
    }
    return rows
  } finally {
    upstream.kill()
  }
}
