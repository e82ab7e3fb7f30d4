import { spawn, fork } from "node:child_process"
import { openSync, readFileSync, readdirSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openSibyl } from "@sibyl/server"
import { auditPrograms } from "@sibyl/testing"
import { firstLine, load } from "../http/servers.mjs"
const kinds = process.argv[2].split(",")
const starts = Number(process.argv[3] ?? 3),
  rounds = Number(process.argv[4] ?? 6),
  seconds = Number(process.argv[5] ?? 1.5)
const settings = {
  off: { SIBYL_LOG_LEVEL: "warn" },
  off2: { SIBYL_LOG_LEVEL: "warn" },
  logs: {},
  metrics: { SIBYL_LOG_LEVEL: "warn", SIBYL_METRICS_ACCESS: "open" },
  nolog: { SIBYL_LOG_LEVEL: "info", SIBYL_LOG_LEVELS_REQUESTS: "warn", SIBYL_LOG_LEVELS_RUNS: "warn" }
}
const threads = (pid) => {
  const out = {}
  for (const tid of readdirSync(`/proc/${pid}/task`)) {
    try {
      const name = readFileSync(`/proc/${pid}/task/${tid}/comm`, "utf8").trim()
      const ns = Number(readFileSync(`/proc/${pid}/task/${tid}/schedstat`, "utf8").split(" ")[0])
      const key = Number(tid) === pid ? "main" : name
      out[key] = (out[key] ?? 0) + ns / 1000
      out.all = (out.all ?? 0) + ns / 1000
    } catch {}
  }
  return out
}
const provision = async (database) => {
  const oracle = await openSibyl({ database, workers: 1 })
  try {
    const { projectId } = await oracle.createProject({ organizationSlug: "bench" })
    await oracle.grant(projectId, 10n ** 18n)
    const programId = await oracle.deploy(auditPrograms.echo)
    return {
      authorization: `Bearer ${(await oracle.issueKey(projectId)).key}`,
      path: `/execute?execProgramId=${programId}&execInputs=bench`
    }
  } finally {
    await oracle.close()
  }
}
const collector = fork(new URL("collector.mjs", import.meta.url).pathname)
const address = await new Promise((r) => collector.once("message", (p) => r(`http://127.0.0.1:${p}`)))
settings.t1 = { SIBYL_LOG_LEVEL: "warn", SIBYL_OTLP_ENDPOINT: address, SIBYL_OTLP_SAMPLE_PERCENT: "1" }
settings.t0 = { SIBYL_LOG_LEVEL: "warn", SIBYL_OTLP_ENDPOINT: address, SIBYL_OTLP_SAMPLE_PERCENT: "0" }
const all = kinds.map(() => [])
for (let start = 0; start < starts; start++) {
  const folder = await mkdtemp(join(tmpdir(), "tele-"))
  const servers = []
  for (let i = 0; i < kinds.length; i++) {
    const at = (i + start) % kinds.length
    const database = join(folder, `${at}.sqlite`)
    const p = await provision(database)
    const child = spawn(
      process.execPath,
      ["/work/main/packages/server/bin/sibyl.js", "serve", "--json", "--port", "0", "--workers", "1", "--database", `sqlite:${database}`],
      { cwd: folder, env: { ...process.env, ...settings[kinds[at]] }, stdio: ["ignore", "pipe", openSync(join(folder, `${at}.log`), "w")] }
    )
    const { url } = await firstLine(child)
    servers.push({ at, ...p, port: Number(new URL(url).port), pid: child.pid, child })
  }
  for (let round = 0; round <= rounds; round++)
    for (const s of servers) {
      const b = threads(s.pid)
      const { answered } = await load({ port: s.port, path: s.path, authorization: s.authorization, seconds })
      const a = threads(s.pid)
      if (round > 0) all[s.at].push(Object.fromEntries(Object.keys(a).map((k) => [k, (a[k] - (b[k] ?? 0)) / answered])))
    }
  for (const s of servers) s.child.kill("SIGKILL")
  await rm(folder, { recursive: true, force: true })
}
collector.kill()
const med = (l) => l.sort((x, y) => x - y)[Math.floor(l.length / 2)]
const names = [
  "all",
  ...new Set(
    all
      .flat()
      .flatMap(Object.keys)
      .filter((k) => k !== "all")
  )
]
console.log("kind".padEnd(10), names.map((n) => n.padStart(14)).join(""))
for (const [i, k] of kinds.entries())
  console.log(
    k.padEnd(10),
    names
      .map((n) => (med(all[i].map((r) => r[n] ?? 0)).toFixed(1) + "/" + Math.min(...all[i].map((r) => r[n] ?? 0)).toFixed(0)).padStart(14))
      .join("")
  )
process.exit()
