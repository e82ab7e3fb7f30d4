/** What telemetry costs a trivial execution: `sibyl serve` with and without each kind of it, in pairs, by their processor time. */
import { fork, spawn } from "node:child_process"
import { openSync, readdirSync, readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { openSibyl } from "@sibyl/server"
import { auditPrograms } from "@sibyl/testing"
import { firstLine, inTurns, load } from "../http/servers.mjs"

/**
 * Two servers with the same settings differ by up to 5 % of their processor time, as long as they live: each kind is started so often, each time
 * with a server without telemetry beside it, and what counts is the mean of the ratios. The two have the load in turns, and no server waits for
 * more than one other: engines give memory and compiled code back while they stand still.
 */
const starts = 4
const rounds = 11
const seconds = 1
/** Until then compilers still work on the server. */
const warmUpSeconds = 8

const reach = { reach: 1.03, aim: 1.01, atMost: true }

const pathOf = (file) => fileURLToPath(new URL(file, import.meta.url))

const none = "off"
/** Shows by how much equal ones differ. */
const again = "off again"

/** The settings of each server; `collector` is an address. Logs are written to a file, as under a service manager. */
const kinds = {
  [none]: () => ({ SIBYL_LOG_LEVEL: "warn" }),
  [again]: () => ({ SIBYL_LOG_LEVEL: "warn" }),
  metrics: () => ({ SIBYL_LOG_LEVEL: "warn", SIBYL_METRICS_ACCESS: "open" }),
  logs: () => ({}),
  "traces of 1 %": (collector) => ({ SIBYL_LOG_LEVEL: "warn", SIBYL_OTLP_ENDPOINT: collector, SIBYL_OTLP_SAMPLE_PERCENT: "1" }),
  "metrics, logs, traces of 1 %": (collector) => ({
    SIBYL_METRICS_ACCESS: "open",
    SIBYL_OTLP_ENDPOINT: collector,
    SIBYL_OTLP_SAMPLE_PERCENT: "1"
  }),
  "all traces": (collector) => ({ SIBYL_LOG_LEVEL: "warn", SIBYL_OTLP_ENDPOINT: collector }),
  everything: (collector) => ({ SIBYL_METRICS_ACCESS: "open", SIBYL_OTLP_ENDPOINT: collector })
}

/** Processor time of all threads of a process, in µs. Its threads live as long as it does. */
const processorUs = (pid) => {
  const nanos = readdirSync(`/proc/${pid}/task`).map((task) =>
    Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0])
  )
  return nanos.reduce((sum, one) => sum + one, 0) / 1_000
}

/** A database of its own with one project and one program. */
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

const startServer = async (folder, at, settings) => {
  const database = join(folder, `${at}.sqlite`)
  const provisioned = await provision(database)
  const bin = pathOf("../../packages/server/bin/sibyl.js")
  const child = spawn(process.execPath, [bin, "serve", "--json", "--port", "0", "--workers", "1", "--database", `sqlite:${database}`], {
    cwd: folder,
    env: { ...process.env, ...settings },
    stdio: ["ignore", "pipe", openSync(join(folder, `${at}.log`), "w")]
  })
  const { url } = await firstLine(child)
  return { ...provisioned, port: Number(new URL(url).port), pid: child.pid, stop: () => child.kill("SIGKILL") }
}

/** The processor time of an execution and the rate, of each kind, with servers started for this. */
const measureOnce = async (names, address) => {
  const folder = await mkdtemp(join(tmpdir(), "sibyl-telemetry-"))
  const servers = []
  try {
    for (const [at, name] of names.entries()) servers.push(await startServer(folder, at, kinds[name](address)))
    for (const { authorization, path, port } of servers) await load({ port, path, authorization, seconds: warmUpSeconds })
    const rates = servers.map(() => [])
    const cases = servers.map(({ authorization, path, pid, port }, at) => async () => {
      const before = processorUs(pid)
      const { answered, rate } = await load({ port, path, authorization, seconds })
      rates[at].push(rate)
      return (processorUs(pid) - before) / answered
    })
    const costs = await inTurns(rounds, cases)
    const middle = (list) => list.slice(1).toSorted((left, right) => left - right)[Math.floor((list.length - 1) / 2)]
    return names.map((_, at) => ({ cost: costs[at], rate: middle(rates[at]) }))
  } finally {
    for (const { stop } of servers) stop()
    await rm(folder, { recursive: true, force: true })
  }
}

const mean = (list) => list.reduce((sum, value) => sum + value, 0) / list.length

/** The standard error of the mean. */
const errorOf = (list) => Math.sqrt(mean(list.map((value) => (value - mean(list)) ** 2)) / (list.length - 1))

/** Measures; `tell` is called with the name of each measurement. */
export const measure = async (tell) => {
  const names = Object.keys(kinds).filter((name) => name !== none)
  const collector = fork(pathOf("collector.mjs"))
  try {
    const address = await new Promise((resolve) => collector.once("message", (port) => resolve(`http://127.0.0.1:${Number(port)}`)))
    const pairs = new Map(names.map((name) => [name, []]))
    for (let start = 1; start <= starts; start += 1) {
      tell(`start ${start} of ${starts}: pairs of servers, each with ${warmUpSeconds} s and ${rounds} rounds of ${seconds} s`)
      for (const name of names) {
        tell(`  none and ${name}`)
        // Who comes after whom matters, too.
        const isFirst = start % 2 === 0
        const found = await measureOnce(isFirst ? [name, none] : [none, name], address)
        pairs.get(name).push({ with: found[isFirst ? 0 : 1], without: found[isFirst ? 1 : 0] })
      }
    }
    return names.flatMap((name) => {
      const found = pairs.get(name)
      const ratios = found.map((pair) => pair.with.cost / pair.without.cost)
      const costOf = (which) => mean(found.map((pair) => pair[which].cost))
      return [
        {
          id: `${name} without`,
          what: `processor time of a trivial execution beside ${name}, without telemetry`,
          value: costOf("without"),
          unit: "µs"
        },
        { id: `${name} cost`, what: `processor time of a trivial execution, telemetry: ${name}`, value: costOf("with"), unit: "µs" },
        {
          id: `${name} rate`,
          what: `trivial executions a second (B8), telemetry: ${name}`,
          value: mean(found.map((pair) => pair.with.rate)),
          unit: "/s"
        },
        {
          id: `${name} part`,
          what: `processor time with ${name} / without`,
          value: mean(ratios),
          unit: "",
          ...(name === again ? {} : reach)
        },
        { id: `${name} error`, what: "standard error of this ratio", value: errorOf(ratios), unit: "" }
      ]
    })
  } finally {
    collector.kill()
  }
}
