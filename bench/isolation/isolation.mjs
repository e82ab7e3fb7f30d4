/**
 * The benchmark of isolation: what a trivial run costs with workers that are processes, beside workers that are threads. Two servers on
 * SQLite files of their own, one worker each, measured in turns.
 */
import { readdirSync, readFileSync } from "node:fs"
import { inTurns, load, startServer } from "../http/servers.mjs"

const rounds = 7
const seconds = 2
const kinds = ["thread", "process"]

const childrenOf = (pid) => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number)

const residentMib = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024

/** Processor time that a process has used, with all of its threads, in ms; clock ticks are hundredths of a second. */
const processorMs = (pid) => {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ").slice(11, 13).map(Number)
  return (user + system) * 10
}

const workersOf = (server) => childrenOf(server.pid).filter((pid) => readdirSync(`/proc/${pid}/fd`).length > 0)

/** Processor time of the server and its workers for each run at full load, in ms. */
const measuredRuns = (server) => async (round) => {
  const { authorization, path, pid, port } = server
  const all = () => [pid, ...workersOf(server)].reduce((sum, one) => sum + processorMs(one), 0)
  const before = all()
  const time = round === 0 ? 1 : seconds
  const { answered, rate } = await load({ port, path, authorization, seconds: time })
  return { rate, cpuMs: (all() - before) / answered }
}

const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]

/** Measures everything; `tell` is called with the name of each measurement. */
export const measure = async (tell) => {
  const servers = []
  for (const isolation of kinds) servers.push(await startServer("run", { options: { isolation } }))
  tell(`${rounds} rounds of ${seconds} s for each of ${kinds.length} servers, 32 connections, then one (about 60 s)`)
  const full = servers.map(() => [])
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, server] of servers.entries()) full[at].push(await measuredRuns(server)(round))
  }
  const of = (at, part) => median(full[at].slice(1).map((one) => one[part]))
  const alone = await inTurns(
    rounds,
    servers.map(
      ({ authorization, path, port }) =>
        async () =>
          (await load({ port, path, authorization, seconds: 1, connections: 1 })).p50Ms
    )
  )
  const memory = servers.map((server) => [residentMib(server.pid), ...workersOf(server).map(residentMib)])
  for (const { stop } of servers) stop()
  return [
    ...kinds.flatMap((kind, at) => [
      {
        id: `${kind} rate`,
        what: `trivial runs a second, workers are ${kind === "thread" ? "threads" : "processes"}`,
        value: of(at, "rate"),
        unit: "/s"
      },
      { id: `${kind} cpu`, what: "processor time of a run, server and worker", value: of(at, "cpuMs"), unit: "ms" },
      { id: `${kind} p50`, what: "latency of a run on one connection", value: alone[at], unit: "ms" },
      { id: `${kind} memory`, what: "resident memory of the server after it", value: memory[at][0], unit: "MiB" }
    ]),
    { id: "worker memory", what: "resident memory of its worker process", value: memory[1][1], unit: "MiB" },
    { id: "ratio", what: "runs a second with processes / with threads", value: of(1, "rate") / of(0, "rate"), unit: "" }
  ]
}
