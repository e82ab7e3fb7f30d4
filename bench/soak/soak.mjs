/**
 * `npm run soak -- --minutes 3`: three times the load that a server carries, for some minutes. Prints what clients saw, what the server's
 * memory did and how soon it was itself again, with a verdict. The exit code is 1 if a target is missed.
 */
import { fork, spawn } from "node:child_process"
import { mkdtemp, open, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { openSibyl } from "@sibyl/server"
import { auditPrograms } from "@sibyl/testing"
import { verdictOf } from "./verdict.mjs"

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "3" },
    times: { type: "string", default: "3" },
    runtime: { type: "string", default: "node" }
  }
})
const minutes = Number(values.minutes)
const times = Number(values.times)
if (!(minutes > 0 && times > 0) || !["node", "bun"].includes(values.runtime)) {
  process.stderr.write("usage: npm run soak -- [--minutes 3] [--times 3] [--runtime node|bun]\n")
  process.exit(2)
}

const pathOf = (file) => fileURLToPath(new URL(file, import.meta.url))
const say = (line) => process.stdout.write(`${line}\n`)
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** A project may have half of the places, so several are needed to fill them. */
const projects = 8
const killAboveBytes = 2 ** 30
const heapMb = 768
const capacitySeconds = 5
const restSeconds = 5
const afterSeconds = 15
const patienceMs = 10_000

const provision = async (folder) => {
  const oracle = await openSibyl({ database: join(folder, "soak.sqlite"), workers: 1 })
  try {
    const programId = await oracle.deploy(auditPrograms.echo)
    const keys = []
    for (let at = 0; at <= projects; at += 1) {
      const { projectId } = await oracle.createProject({ organizationSlug: `soak-${at}` })
      await oracle.grant(projectId, 10n ** 15n)
      keys.push((await oracle.issueKey(projectId)).key)
    }
    return { programId, keys }
  } finally {
    await oracle.close()
  }
}

/** The server, killed when its memory exceeds the limit. */
const startServer = async (folder) => {
  const runtime = values.runtime === "bun" ? pathOf("../../node_modules/.bin/bun") : process.execPath
  const bin = pathOf("../../packages/server/bin/sibyl.js")
  // A line for each request is part of what is measured; nobody wants to read them here.
  const log = await open(join(folder, "server.log"), "w")
  const child = spawn(runtime, [bin, "serve", "--json", "--port", "0", "--database", `sqlite:${join(folder, "soak.sqlite")}`], {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: `--max-old-space-size=${heapMb}` },
    stdio: ["ignore", "pipe", log.fd]
  })
  child.once("exit", () => void log.close())
  const line = await new Promise((resolve, reject) => {
    let text = ""
    child.stdout.on("data", (chunk) => {
      text += chunk
      if (text.includes("\n")) resolve(text.slice(0, text.indexOf("\n")))
    })
    child.once("exit", (code, signal) => reject(new Error(`the server ended with ${code ?? signal}`)))
  })
  return { child, port: Number(new URL(JSON.parse(line).url).port) }
}

const residentBytes = async (pid) => {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "")
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1_024
}

/** The memory of a process once a second, while it has less than the limit. */
const watchMemory = (child) => {
  const samples = []
  const look = async () => {
    const bytes = await residentBytes(child.pid)
    samples.push(bytes)
    if (bytes > killAboveBytes) child.kill("SIGKILL")
  }
  const timer = setInterval(() => void look(), 1_000)
  return { samples, stop: () => clearInterval(timer) }
}

const told = (child) =>
  new Promise((resolve, reject) => {
    child.once("message", resolve)
    child.once("exit", (code) => code !== 0 && reject(new Error(`a process of the soak ended with ${code}`)))
  })

const offer = (settings) => told(fork(pathOf("openLoop.mjs"), [JSON.stringify({ patienceMs, maxConnections: 4_000, ...settings })]))

/** Runs a second that 64 connections get, each of which waits for its answer. */
const capacityOf = async ({ keys, port, programId }) => {
  const path = `/execute?execProgramId=${programId}&execInputs=soak`
  const authorization = keys.slice(1).map((key) => `Bearer ${key}`)
  const settings = { authorization, connections: 64, path, port, seconds: capacitySeconds, warmUpMs: 3_000 }
  return (await told(fork(pathOf("../http/load.mjs"), [JSON.stringify(settings)]))).rate
}

/** Credits of all projects: a run costs the same each time. */
const usedCredits = async ({ keys, port }) => {
  const used = keys.map(async (key) => {
    const response = await fetch(`http://127.0.0.1:${port}/project`, { headers: { authorization: `Bearer ${key}` } })
    const { credits } = await response.json()
    if (credits.held !== "0") throw new Error(`credits are still held: ${credits.held}`)
    return BigInt(credits.used)
  })
  return (await Promise.all(used)).reduce((sum, each) => sum + each, 0n)
}

const soak = async (folder) => {
  const provisioned = await provision(folder)
  const { child, port } = await startServer(folder)
  const site = { ...provisioned, port }
  const [bystander, ...keys] = site.keys
  const body = JSON.stringify({ execProgramId: site.programId, execInputs: "soak" })
  try {
    const capacity = await capacityOf(site)
    say(`capacity     ${capacity.toFixed(0)} runs a second (64 connections, ${capacitySeconds} s)`)
    const remembered = `/execute?execProgramId=${site.programId}&execInputs=soak&returnLastResult=true`
    const probe = fork(pathOf("probe.mjs"), [JSON.stringify({ body, key: bystander, port, remembered })])
    await told(probe)
    await sleep(restSeconds * 1_000)
    probe.send("load")
    const before = await usedCredits({ ...site, keys })
    const memory = watchMemory(child)
    const rate = Math.round(capacity * times)
    say(`offered      ${rate} runs a second for ${minutes} minutes`)
    const load = await offer({ body, keys, port, rate, seconds: minutes * 60 })
    probe.send("after")
    await sleep(afterSeconds * 1_000)
    memory.stop()
    probe.send("stop")
    const seen = await told(probe)
    const after = await usedCredits({ ...site, keys })
    return { capacity, rate, load, seen, memory: memory.samples, usedCredits: after - before }
  } finally {
    child.kill("SIGKILL")
  }
}

const folder = await mkdtemp(join(tmpdir(), "sibyl-soak-"))
try {
  const { isKept, lines } = verdictOf(await soak(folder))
  say(lines.join("\n"))
  if (!isKept) process.exitCode = 1
} finally {
  await rm(folder, { recursive: true, force: true })
}
