/** A Bun server of your own with Sibyl under `/oracle`. Run it with `bun server.ts`. */
import { fileURLToPath } from "node:url"
import { createHandlers } from "@sibyl/adapter-bun"
import { openSibyl } from "@sibyl/server"

const { ORACLE_DATABASE = "oracle.sqlite", PORT = "3000", PRICE_UPSTREAM } = process.env

// Everything is in one SQLite file. PRICE_UPSTREAM may stand in for the price host, for trying it without the internet.
const oracle = await openSibyl({
  database: ORACLE_DATABASE,
  outbound: PRICE_UPSTREAM === undefined ? {} : { hostOverrides: { "hermes.pyth.network": PRICE_UPSTREAM } }
})
const program = fileURLToPath(import.meta.resolve("@sibyl/programs/crypto-price.wasm"))
const programId = await oracle.deploy(await Bun.file(program).bytes())
const { projectId } = await oracle.createProject({ organizationSlug: "acme" })
await oracle.grant(projectId, 10_000n)
const key = await oracle.issueKey(projectId)

const handlers = createHandlers(oracle.service, { prefix: "/oracle" })
const server = Bun.serve({
  port: Number(PORT),
  hostname: "127.0.0.1",
  idleTimeout: 0,
  fetch: async (request, server) => (await handlers.fetch(request, server)) ?? new Response("my own app"),
  websocket: handlers.websocket // feeds
})
console.log(JSON.stringify({ url: `http://127.0.0.1:${server.port}/oracle`, key, programId }))

process.once("SIGTERM", () => {
  void server.stop().then(() => oracle.close())
})
