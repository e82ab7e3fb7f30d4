/** A Bun server of your own with Sibyl under `/oracle`. Run it with `bun server.ts`. */
import { createHandlers } from "@sibyl/adapter-bun"
import { programBytes } from "@sibyl/programs"
import { openSibyl } from "@sibyl/server"

const { ORACLE_DATABASE = "oracle.sqlite", ORACLE_KEY_FILE = "oracle-key", PORT = "3000", PRICE_UPSTREAM } = process.env

// All data is in one SQLite file. PRICE_UPSTREAM can replace the price host, to try this without the internet.
const oracle = await openSibyl({
  database: ORACLE_DATABASE,
  outbound: PRICE_UPSTREAM === undefined ? {} : { hostOverrides: { "hermes.pyth.network": PRICE_UPSTREAM } }
})
const programId = await oracle.deploy(await programBytes("crypto-price"))
// Always the same project: its key is stored in a file, because the database has only a hash of it.
const { key } = await oracle.ensureProject({ organizationSlug: "acme", credits: 10_000n, keyFile: ORACLE_KEY_FILE })

const handlers = createHandlers(oracle.service, { prefix: "/oracle" })
const server = Bun.serve({
  port: Number(PORT),
  hostname: "127.0.0.1",
  fetch: async (request, server) => (await handlers.fetch(request, server)) ?? new Response("my own app"),
  websocket: handlers.websocket // feeds
})
console.log(JSON.stringify({ url: `http://127.0.0.1:${server.port}/oracle`, key, programId }))

process.once("SIGTERM", () => {
  // Both at once: `stop` waits for the WebSocket connections, which `close` ends.
  void Promise.all([server.stop(), oracle.close()])
})
