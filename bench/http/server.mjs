/** One server of the benchmark, by kind; it prints its address and the paths to request. */
import { createServer } from "node:http"
import { parse } from "node:querystring"
import { openOracle, runOnce } from "./oracle.mjs"

const kind = process.argv[2]

const tell = (facts) => process.stdout.write(`${JSON.stringify(facts)}\n`)

const listen = (server) => new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server.address().port)))

/** The minimal work: the target is parsed, a key is present, the bytes are sent. */
const bareHandler = (response) => {
  // Without a length Node would send the body in chunks, which costs more.
  const headers = { ...response.headers, "content-length": Buffer.byteLength(response.body) }
  return (request, answer) => {
    const [path, query = ""] = request.url.split("?")
    const { execProgramId } = parse(query)
    if (path !== "/execute" || execProgramId === undefined || request.headers.authorization === undefined) {
      answer.writeHead(400).end()
      return
    }
    answer.writeHead(200, headers)
    answer.end(response.body)
  }
}

const opened = await openOracle()
const { authorization, oracle, remembered, run } = opened
const first = await runOnce(opened)
const path = kind === "run" || kind === "bare-trivial" ? run : remembered

if (kind === "bare" || kind === "bare-trivial") {
  await oracle.close()
  tell({ port: await listen(createServer(bareHandler(first))), path, authorization })
} else if (kind === "bare-express") {
  const { default: express } = await import("express")
  await oracle.close()
  tell({ port: await listen(createServer(express().use(bareHandler(first)))), path, authorization })
} else if (kind === "express") {
  const { default: express } = await import("express")
  const { sibyl } = await import("@sibyl/adapter-express")
  tell({ port: await listen(createServer(express().use(sibyl(oracle.service)))), path, authorization })
} else if (kind === "bun") {
  const { createHandlers } = await import("@sibyl/adapter-bun")
  const { fetch, websocket } = createHandlers(oracle.service)
  const server = globalThis.Bun.serve({ port: 0, hostname: "127.0.0.1", fetch, websocket })
  tell({ port: server.port, path, authorization })
} else {
  const { sibyl } = await import("@sibyl/adapter-express")
  const handle = sibyl(oracle.service)
  const server = createServer((request, answer) => handle(request, answer, () => answer.writeHead(404).end()))
  tell({ port: await listen(server), path, authorization })
}
