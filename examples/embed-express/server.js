/** An Express app of your own with Sibyl under `/oracle`. Run it with `node server.js`. */
import { attachUpgrades, sibyl } from "@sibyl/adapter-express"
import { programBytes } from "@sibyl/programs"
import { openSibyl } from "@sibyl/server"
import express from "express"

const { ORACLE_DATABASE = "oracle.sqlite", ORACLE_KEY_FILE = "oracle-key", PORT = "3000", PRICE_UPSTREAM } = process.env

// All data is in one SQLite file. PRICE_UPSTREAM can replace the price host, to try this without the internet.
const oracle = await openSibyl({
  database: ORACLE_DATABASE,
  outbound: PRICE_UPSTREAM === undefined ? {} : { hostOverrides: { "hermes.pyth.network": PRICE_UPSTREAM } }
})
const programId = await oracle.deploy(await programBytes("crypto-price"))
// Always the same project: its key is stored in a file, because the database has only a hash of it.
const { key } = await oracle.ensureProject({ organizationSlug: "acme", credits: 10_000n, keyFile: ORACLE_KEY_FILE })

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
