/** An Express app of your own with Sibyl under `/oracle`. Run it with `node server.js`. */
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { attachUpgrades, sibyl } from "@sibyl/adapter-express"
import { openSibyl } from "@sibyl/server"
import express from "express"

const { ORACLE_DATABASE = "oracle.sqlite", PORT = "3000", PRICE_UPSTREAM } = process.env

// Everything is in one SQLite file. PRICE_UPSTREAM may stand in for the price host, for trying it without the internet.
const oracle = await openSibyl({
  database: ORACLE_DATABASE,
  outbound: PRICE_UPSTREAM === undefined ? {} : { hostOverrides: { "hermes.pyth.network": PRICE_UPSTREAM } }
})
const program = fileURLToPath(import.meta.resolve("@sibyl/programs/crypto-price.wasm"))
const programId = await oracle.deploy(await readFile(program))
const { projectId } = await oracle.createProject({ organizationSlug: "acme" })
await oracle.grant(projectId, 10_000n)
const key = await oracle.issueKey(projectId)

const app = express()
app.get("/", (_request, response) => void response.send("my own app"))
app.use("/oracle", sibyl(oracle.service))

const server = app.listen(Number(PORT), "127.0.0.1", () => {
  const { port } = server.address()
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}/oracle`, key, programId }))
})

attachUpgrades(server, oracle.service, { prefix: "/oracle" }) // feeds, on the same server

process.once("SIGTERM", () => {
  server.close()
  void oracle.close()
})
