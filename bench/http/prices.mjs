/** B13: price-feed runs over HTTP, each with one 20 ms fetch, signed, charged and stored, beside the same fetches alone over HTTP. */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { inTurns, load, startServer } from "./servers.mjs"

const inFlight = 500
const seconds = 5
const rounds = 3

/** JavaScriptCore compiles for half a minute of this load, on threads that it takes from the runs; a server that has run for longer is what is measured. */
const warmUpSeconds = 40

const startUpstream = async () => {
  const child = spawn(process.execPath, [fileURLToPath(new URL("../vm/slowUpstream.mjs", import.meta.url))], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const port = await new Promise((resolve, reject) => {
    child.stdout.once("data", (bytes) => resolve(Number.parseInt(String(bytes), 10)))
    child.once("exit", () => reject(new Error("the upstream did not start")))
  })
  return { port, stop: () => child.kill() }
}

/** The rates of runs and fetches in turns, the latencies of the last round of runs, and the memory of its server. */
const measured = async (suffix, upstreamPort) => {
  const runs = await startServer(`prices${suffix}`, { upstreamPort }, "priceServer.mjs")
  const fetches = await startServer(`bare-prices${suffix}`, { upstreamPort }, "priceServer.mjs")
  let latencies
  const loaded = async ({ authorization, path, port }, forSeconds = seconds) =>
    // Where 500 wait for more than a second, the service refuses some, as it should: only results count.
    load({ authorization, path, port, connections: inFlight, seconds: forSeconds, warmUpMs: 3_000, mayRefuse: true })
  for (const server of [runs, fetches]) await loaded(server, warmUpSeconds)
  const [runRate, fetchRate] = await inTurns(rounds, [
    async () => {
      latencies = await loaded(runs)
      return latencies.rate
    },
    async () => (await loaded(fetches)).rate
  ])
  const { worstBytes } = await runs.stopAndHear()
  const alone = await fetches.stopAndHear()
  return { runRate, fetchRate, latencies, worstBytes, aloneBytes: alone.worstBytes }
}

const rowsOf = (engine, { aloneBytes, fetchRate, latencies, runRate, worstBytes }) => {
  const suffix = engine === "Bun" ? " bun" : ""
  return [
    {
      id: `B13${suffix}`,
      what: `${engine}: price runs over HTTP, 500 in flight / the same fetches alone over HTTP`,
      value: runRate / fetchRate,
      unit: "times",
      reach: 0.25,
      aim: 0.5
    },
    { id: `B13 rate${suffix}`, what: `${engine}: price runs a second over HTTP`, value: runRate, unit: "/s" },
    { id: `B13 fetches${suffix}`, what: `${engine}: the fetches alone over HTTP`, value: fetchRate, unit: "/s" },
    { id: `B13 refused${suffix}`, what: `${engine}: refused beside them in the last round`, value: latencies.refused, unit: "" },
    { id: `B13 p50${suffix}`, what: `${engine}: a price run, p50`, value: latencies.p50Ms, unit: "ms" },
    { id: `B13 p99${suffix}`, what: `${engine}: a price run, p99`, value: latencies.p99Ms, unit: "ms" },
    { id: `B13 memory${suffix}`, what: `${engine}: the most memory of the service`, value: worstBytes / 1_000_000, unit: "MB" },
    { id: `B13 alone memory${suffix}`, what: `${engine}: the most memory of the fetches alone`, value: aloneBytes / 1_000_000, unit: "MB" }
  ]
}

/** Measures on Node and on Bun. */
export const prices = async () => {
  const upstream = await startUpstream()
  try {
    const onNode = rowsOf("Node.js", await measured("", upstream.port))
    return [...onNode, ...rowsOf("Bun", await measured("-bun", upstream.port))]
  } finally {
    upstream.stop()
  }
}
