/** One case, in its own process: many connections over loopback with one feed each, on one of three services. */
import { fork } from "node:child_process"
import { createServer } from "node:http"
import { fileURLToPath } from "node:url"
import { attachUpgrades } from "@sibyl/adapter-express"
import { openBenchService, openNoopEngine } from "./benchService.mjs"
import { openDiskService } from "./diskService.mjs"

const connectionsPerKey = 20

const { connections, run, seconds, startSeconds } = JSON.parse(process.argv[2])
const open = { noop: openNoopEngine, signed: openBenchService, disk: openDiskService }
const { keys, programId, service } = await open[run](Math.ceil(connections / connectionsPerKey))
const server = createServer({ keepAlive: true })
attachUpgrades(server, service)
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))

const clients = fork(fileURLToPath(new URL("socketClients.mjs", import.meta.url)), { stdio: "inherit" })
let before
let spent
clients.on("message", (message) => {
  if (message === "measuring") before = { at: performance.now(), cpu: process.cpuUsage() }
  else if (message === "measured") {
    const { system, user } = process.cpuUsage(before.cpu)
    spent = { processorUs: system + user, elapsedUs: (performance.now() - before.at) * 1_000 }
  } else {
    process.stdout.write(
      JSON.stringify({
        ...message,
        processorShare: spent.processorUs / spent.elapsedUs,
        processorUsPerRun: spent.processorUs / message.runs,
        residentMb: process.memoryUsage().rss / 1e6
      })
    )
    process.exit()
  }
})
// Feeds of the same inputs would be results of one data request, whose timestamps differ: a thousand a second at most are on time.
clients.send({
  connections,
  connectionsPerKey,
  hasOwnInputs: run === "disk",
  keys,
  port: server.address().port,
  programId,
  seconds,
  startSeconds
})
