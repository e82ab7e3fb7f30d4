/** One server of the benchmark, by kind; it prints its address and the paths to request. */
import { createServer } from "node:http"
import { parse } from "node:querystring"
import { openOracle, runOnce } from "./oracle.mjs"

const [kind, settings = "{}"] = process.argv.slice(2)

/** Runs the exit handlers, which remove the database. */
process.on("SIGTERM", () => process.exit())

const tell = (facts) => process.stdout.write(`${JSON.stringify(facts)}\n`)

const listen = (server) => new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server.address().port)))

const isComplete = (url, authorization) => {
  const [path, query = ""] = url.split("?")
  return path === "/execute" && parse(query)["execProgramId"] !== undefined && authorization !== undefined
}

/** The minimal work: the target is parsed, a key is present, the bytes are sent. */
const bareHandler = ({ body, headers: facts }) => {
  // Without a length Node would send the body in chunks, which costs more.
  const headers = { ...facts, "content-length": Buffer.byteLength(body) }
  return (request, answer) => {
    if (isComplete(request.url, request.headers.authorization)) answer.writeHead(200, headers).end(body)
    else answer.writeHead(400).end()
  }
}

/** The same on Bun. */
const bareFetch = ({ body, headers }) => {
  return (request) => {
    const url = request.url.slice(request.url.indexOf("/", "http://".length))
    return isComplete(url, request.headers.get("authorization")) ? new Response(body, { headers }) : new Response(null, { status: 400 })
  }
}

const opened = await openOracle(JSON.parse(settings))
const { authorization, oracle, remembered, run } = opened
const first = await runOnce(opened)
const path = kind === "run" || kind === "bare-trivial" ? run : remembered

/** Each listens and returns its port. */
const servers = {
  bare: async () => listen(createServer(bareHandler(first))),
  express: async () => {
    const { default: express } = await import("express")
    const { sibyl } = await import("@sibyl/adapter-express")
    return listen(createServer(express().use(sibyl(oracle.service))))
  },
  "bare-express": async () => {
    const { default: express } = await import("express")
    return listen(createServer(express().use(bareHandler(first))))
  },
  bun: async () => {
    const { createHandlers } = await import("@sibyl/adapter-bun")
    return globalThis.Bun.serve({ port: 0, hostname: "127.0.0.1", ...createHandlers(oracle.service) }).port
  },
  "bare-bun": async () => globalThis.Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: bareFetch(first) }).port,
  node: async () => {
    const { nodeListener } = await import("@sibyl/adapter-express")
    return listen(createServer(nodeListener(oracle.service)))
  }
}

const serverOf = { "bare-trivial": "bare", run: "node" }
// Only the bytes of the service are served.
if (kind.startsWith("bare")) await oracle.close()
tell({ port: await servers[serverOf[kind] ?? kind](), path, authorization, run, remembered })
