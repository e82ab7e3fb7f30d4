/**
 * A server in a process of its own that shares feeds with others: on one PostgreSQL, over one NATS. It prints its address, ends with its
 * standard input, and answers `usage` with its processor time and memory.
 */
import { createServer } from "node:http"
import { attachUpgrades, sibyl } from "@sibyl/adapter-express"
import { layerNatsFeedRelay, NatsConnection } from "@sibyl/cluster"
import { openSibyl } from "@sibyl/server"
import { Layer } from "effect"

const { database, limits, nats, network } = JSON.parse(process.argv[2])

const oracle = await openSibyl({
  database,
  network,
  workers: 1,
  limits,
  feedRelay: layerNatsFeedRelay.pipe(Layer.provide(NatsConnection.layer({ servers: [nats] })), Layer.orDie)
})
const handle = sibyl(oracle.service)
const server = createServer({ keepAlive: true }, (request, response) => handle(request, response, () => response.writeHead(404).end()))
attachUpgrades(server, oracle.service)
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
process.stdout.write(`http://127.0.0.1:${server.address().port}\n`)

process.on("message", (message) => {
  if (message !== "usage") return
  const { system, user } = process.cpuUsage()
  process.send({ processorUs: system + user, residentBytes: process.memoryUsage().rss })
})
process.stdin.once("end", () => process.exit(0)).resume()
