/** What telemetry costs a trivial execution: `sibyl serve` with and without each kind of it, in turns within one process, by its processor time. */
import { fork } from "node:child_process"
import { openSync, readdirSync, readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { openSibyl } from "@sibyl/server"
import { auditPrograms } from "@sibyl/testing"
import { openLoad } from "./openLoad.mjs"

/**
 * Two processes with the same settings differ by up to 8 % of their processor time for as long as they live, and this machine runs twice as much
 * in one minute as in another. So the two services that are compared share a process, and have the load in turns that are too short for the
 * machine to change between them. A process is started several times: compilers do not decide the same each time.
 */
const starts = 3
const turns = 100
const turnMs = 150
/** Until then compilers still work on the service. */
const warmUps = 8
const warmUpMs = 700

const reach = { reach: 1.03, aim: 1.01, atMost: true }

const pathOf = (file) => fileURLToPath(new URL(file, import.meta.url))

const none = { SIBYL_LOG_LEVEL: "warn" }
/** Shows by how much equal ones differ. */
const again = "off again"
const measured = { SIBYL_METRICS_ACCESS: "open" }
const pushed = (collector) => ({ SIBYL_OTLP_ENDPOINT: collector })
const sampled = { SIBYL_OTLP_SAMPLE_PERCENT: "1" }

/** The settings of each kind; `collector` is an address. Logs are written to a file, as under a service manager. */
const kinds = {
  [again]: () => none,
  metrics: () => ({ ...none, ...measured }),
  logs: () => ({}),
  "traces of 1 %": (collector) => ({ ...none, ...pushed(collector), ...sampled }),
  "metrics, logs, traces of 1 %": (collector) => ({ ...measured, ...pushed(collector), ...sampled }),
  "all traces": (collector) => ({ ...none, ...pushed(collector) }),
  everything: (collector) => ({ ...measured, ...pushed(collector) })
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

const startServices = (folder, services) => {
  const child = fork(pathOf("services.mjs"), [JSON.stringify(services)], {
    cwd: folder,
    stdio: ["ignore", "inherit", openSync(join(folder, "log"), "w"), "ipc"]
  })
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the services ended with ${code}`)))
    child.once("message", (urls) => resolve({ child, urls }))
  })
}

const mean = (list) => list.reduce((sum, value) => sum + value, 0) / list.length
const median = (list) => list.toSorted((left, right) => left - right)[Math.floor(list.length / 2)]

/** The processor time of an execution in each turn of the first and of the second service. */
const costsOf = async (settings) => {
  const folder = await mkdtemp(join(tmpdir(), "sibyl-telemetry-"))
  const databases = settings.map((_, at) => join(folder, `${at}.sqlite`))
  let child
  try {
    const provisioned = []
    for (const database of databases) provisioned.push(await provision(database))
    const started = await startServices(
      folder,
      settings.map((own, at) => ({ settings: own, database: databases[at] }))
    )
    child = started.child
    const loads = await Promise.all(provisioned.map((one, at) => openLoad({ ...one, url: started.urls[at] })))
    for (let round = 0; round < warmUps; round += 1) for (const load of loads) await load(warmUpMs)
    const costs = loads.map(() => [])
    for (let turn = 0; turn < turns; turn += 1) {
      // Who comes after whom matters, too.
      for (const at of turn % 2 === 0 ? [0, 1] : [1, 0]) {
        const before = processorUs(child.pid)
        const answered = await loads[at](turnMs)
        costs[at].push((processorUs(child.pid) - before) / answered)
      }
    }
    return costs
  } finally {
    child?.kill("SIGKILL")
    await rm(folder, { recursive: true, force: true })
  }
}

/** One process with a service without telemetry and one with it. */
const measureOnce = async (settings) => {
  const [without, withIt] = await costsOf([none, settings])
  return { without: median(without), more: median(withIt.map((cost, turn) => cost - without[turn])) }
}

/** The standard error of the mean. */
const errorOf = (list) => Math.sqrt(mean(list.map((value) => (value - mean(list)) ** 2)) / (list.length - 1))

const rowsOf = (name, found) => {
  const ratios = found.map(({ more, without }) => 1 + more / without)
  return [
    {
      id: `${name} without`,
      what: `processor time of a trivial execution beside ${name}, without telemetry`,
      value: mean(found.map(({ without }) => without)),
      unit: "µs"
    },
    {
      id: `${name} more`,
      what: `what telemetry adds to it: ${name}`,
      value: mean(found.map(({ more }) => more)),
      unit: "µs"
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
}

/** Measures; `tell` is called with the name of each measurement. */
export const measure = async (tell) => {
  const found = new Map(Object.keys(kinds).map((name) => [name, []]))
  const collector = fork(pathOf("collector.mjs"))
  try {
    const address = await new Promise((resolve) => collector.once("message", (port) => resolve(`http://127.0.0.1:${Number(port)}`)))
    for (let start = 1; start <= starts; start += 1) {
      tell(`start ${start} of ${starts}: a process for each kind, with ${turns} turns of ${turnMs} ms`)
      for (const [name, settings] of Object.entries(kinds)) {
        tell(`  none and ${name}`)
        found.get(name).push(await measureOnce(settings(address)))
      }
    }
    return [...found].flatMap(([name, measurements]) => rowsOf(name, measurements))
  } finally {
    collector.kill()
  }
}
