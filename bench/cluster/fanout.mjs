/**
 * Fan-out: two servers on one PostgreSQL and one NATS have a feed that thousands of connections get, half of them on each: a shared one that
 * they subscribe to, or a durable one that they follow. When each of them is sent each tick, and what that costs.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { setTimeout as rest } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { openSibyl } from "@sibyl/server"
import { auditPrograms, startNats, startPostgres, whyNoNats, whyNoPostgres } from "@sibyl/testing"
import { Effect } from "effect"

const subscribers = 10_000
const servers = 2
const periodMs = 1_000
const seconds = 20
/** A process that leaks ends by itself. */
const heap = ["--max-old-space-size=2048"]

const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url))

/** As many files as the system lets a process have open; both servers and clients have a socket for each connection. */
const withFiles = (program, args) => ["-c", 'ulimit -n "$(ulimit -Hn)" && exec "$@"', "sh", program, ...args]

const startServer = async (settings) => {
  const args = withFiles(process.execPath, [...heap, pathOf("sharingServer.mjs"), JSON.stringify(settings)])
  const child = spawn("/bin/sh", args, { stdio: ["pipe", "pipe", "inherit", "ipc"] })
  const [url] = await once(createInterface({ input: child.stdout }), "line")
  return {
    url,
    usage: async () => {
      child.send("usage")
      return (await once(child, "message"))[0]
    },
    stop: async () => {
      child.stdin.end()
      await once(child, "exit")
    }
  }
}

const startClients = () =>
  spawn("/bin/sh", withFiles(process.execPath, [...heap, pathOf("fanClients.mjs")]), { stdio: ["ignore", "inherit", "inherit", "ipc"] })

const provision = async (database) => {
  const oracle = await openSibyl({ database, workers: 1 })
  const { projectId } = await oracle.createProject({ organizationSlug: "bench" })
  await oracle.grant(projectId, 10n ** 12n)
  const programId = await oracle.deploy(auditPrograms.echo)
  const { key } = await oracle.issueKey(projectId)
  await oracle.close()
  const execute = { execProgramId: programId, execInputs: "fan-out", encoding: "utf8" }
  return { key, feed: { mode: "FIXED", periodicityMs: periodMs, execute } }
}

/** What each connection asks for. */
const requestFor = async (kind, url, { feed, key }) => {
  const asked = (method, params) => JSON.stringify({ jsonrpc: "2.0", id: "1", method, params })
  if (kind === "shared") return asked("feed.start", { ...feed, share: true })
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const created = await fetch(`${url}/feeds`, { method: "POST", headers, body: JSON.stringify(feed) })
  return asked("feed.follow", { feedId: (await created.json()).feedId })
}

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]

const sum = (list) => list.reduce((total, one) => total + one, 0)

/** What was seen of the ticks that every subscriber could have been sent within the measurement. */
const judged = (answers) => {
  const ticks = new Map()
  for (const { ticks: own } of answers) {
    for (const [seq, { receivedMs, scheduledMs }] of own) {
      const tick = ticks.get(seq) ?? { scheduledMs, receivedMs: [] }
      ticks.set(seq, tick)
      tick.receivedMs.push(...receivedMs)
    }
  }
  const seqs = [...ticks.keys()].toSorted((one, other) => one - other).slice(1, -1)
  const whole = seqs.map((seq) => ticks.get(seq))
  const sinceTick = whole.flatMap(({ receivedMs, scheduledMs }) => receivedMs.map((ms) => ms - scheduledMs)).toSorted((a, b) => a - b)
  const sinceFirst = whole
    .flatMap(({ receivedMs }) => {
      const first = receivedMs.reduce((least, ms) => Math.min(least, ms), Number.POSITIVE_INFINITY)
      return receivedMs.map((ms) => ms - first)
    })
    .toSorted((a, b) => a - b)
  return {
    deliveries: sum([...ticks.values()].map(({ receivedMs }) => receivedMs.length)),
    share: sum(whole.map(({ receivedMs }) => receivedMs.length)) / (whole.length * subscribers),
    ticks: whole.length,
    sinceTick,
    sinceFirst
  }
}

const measured = (kind, tell) =>
  Effect.gen(function* () {
    const postgres = yield* startPostgres({ fsync: true })
    const nats = yield* startNats()
    return yield* Effect.promise(async () => {
      const database = postgres.url("postgres")
      const provisioned = await provision(database)
      const { key } = provisioned
      const settings = { database, nats: nats.url, limits: { connectionsPerKey: subscribers } }
      const running = await Promise.all(Array.from({ length: servers }, () => startServer(settings)))
      const request = await requestFor(kind, running[0].url, provisioned)
      const usage = () => Promise.all(running.map((server) => server.usage()))
      const idle = await usage()
      tell(`${subscribers} connections are opened`)
      const clients = running.map(startClients)
      await Promise.all(
        clients.map(async (client, index) => {
          client.send({ open: { url: running[index].url, key, request, count: subscribers / servers } })
          await once(client, "message")
        })
      )
      await rest(3 * periodMs)
      tell(`${seconds} s are measured`)
      for (const client of clients) client.send("begin")
      const before = await usage()
      await rest(seconds * 1_000)
      const after = await usage()
      const answers = await Promise.all(
        clients.map(async (client) => {
          client.send("end")
          return (await once(client, "message"))[0]
        })
      )
      for (const client of clients) client.disconnect()
      await Promise.all(running.map((server) => server.stop()))
      return { answers, idle, before, after }
    })
  })

const rowsOf = (kind, { after, answers, before, idle }) => {
  const { deliveries, share, sinceFirst, sinceTick, ticks } = judged(answers)
  const processorUs = sum(after.map((one, index) => one.processorUs - before[index].processorUs))
  const connectionBytes = sum(after.map((one, index) => one.residentBytes - idle[index].residentBytes)) / subscribers
  const failures = sum(answers.map(({ errors, gaps, holes }) => errors + gaps + holes))
  const who = kind === "shared" ? "subscribers of a shared feed" : "followers of a durable feed"
  const what = `${subscribers} ${who} on ${servers} servers, a tick each second`
  return [
    { id: `fan-out, ${kind}`, what: `${what}: share delivered of ${ticks} ticks`, value: share, unit: "", reach: 1 },
    { id: "", what: "holes, gaps and errors", value: failures, unit: "", reach: 0, atMost: true },
    { id: "", what: "from the tick to one of them, p50", value: at(sinceTick, 0.5), unit: "ms" },
    { id: "", what: "from the tick to one of them, p99", value: at(sinceTick, 0.99), unit: "ms", reach: 500, atMost: true },
    { id: "", what: "from the first of them to another, p99", value: at(sinceFirst, 0.99), unit: "ms" },
    { id: "", what: "processor time of the servers for a delivery", value: processorUs / deliveries, unit: "µs" },
    { id: "", what: "memory of the servers for each of them", value: connectionBytes / 1_024, unit: "KiB" }
  ]
}

/** Fan-out to all of them, of both kinds of feed; nothing without PostgreSQL and NATS. */
export const fanout = async (tell) => {
  const missing = whyNoPostgres ?? whyNoNats
  if (missing !== undefined) {
    tell(`fan-out is skipped: ${missing}`)
    return []
  }
  const rows = []
  for (const kind of ["shared", "durable"]) rows.push(...rowsOf(kind, await Effect.runPromise(Effect.scoped(measured(kind, tell)))))
  return rows
}
