/**
 * A server of B13: the complete service with the price program, or one that makes the same fetch through the same policed way out for
 * each request and answers with the same bytes. It prints its address, and when it stops, the most memory that it had.
 */
import { createServer } from "node:http"
import { readFileSync } from "node:fs"
import { HttpFetch } from "@sibyl/core"
import { openSibyl } from "@sibyl/server"
import { layerHttpFetch } from "@sibyl/vm/http"
import { Effect, ManagedRuntime } from "effect"
import { newFile, seamRequest } from "./oracle.mjs"

const [kind, settings] = process.argv.slice(2)
const { upstreamPort } = JSON.parse(settings)
const isBun = kind.endsWith("bun")

const tell = (facts) => process.stdout.write(`${JSON.stringify(facts)}\n`)

process.on("SIGTERM", () => {
  tell({ worstBytes: process.resourceUsage().maxRSS * 1_024 })
  process.exit()
})

const host = "hermes.pyth.network"
const btcUsd = "e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43"
const outbound = { hostOverrides: { [host]: `http://127.0.0.1:${upstreamPort}` } }
const limits = { httpRequestTimeoutMs: 30_000, httpRunBudgetMs: 30_000, execWallClockMs: 60_000, queueWaitMs: 60_000 }

/** A project may have 200 runs in flight. */
const projects = 5

const openService = async () => {
  const oracle = await openSibyl({ database: newFile(), outbound, limits })
  const programId = await oracle.deploy(readFileSync(new URL("../../programs/build/crypto-price.wasm", import.meta.url)))
  const authorization = []
  for (let at = 0; at < projects; at += 1) {
    const { projectId } = await oracle.createProject({ organizationSlug: `bench-${at}` })
    await oracle.grant(projectId, 10n ** 15n)
    authorization.push(`Bearer ${(await oracle.issueKey(projectId)).key}`)
  }
  const path = `/execute?execProgramId=${programId}&execInputs=${encodeURIComponent(JSON.stringify({ id: btcUsd }))}`
  const first = await oracle.service.fetch(seamRequest(path, authorization[0]))
  if (first?.status !== 200) throw new Error(`the run failed: ${first?.body}`)
  return { oracle, authorization, path, first }
}

const listen = (server) => new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server.address().port)))

const serve = async (service) => {
  if (isBun) {
    const { createHandlers } = await import("@sibyl/adapter-bun")
    return globalThis.Bun.serve({ port: 0, hostname: "127.0.0.1", ...createHandlers(service) }).port
  }
  const { nodeListener } = await import("@sibyl/adapter-express")
  return listen(createServer(nodeListener(service)))
}

const serveFetches = ({ body, headers: facts }) => {
  const machine = ManagedRuntime.make(layerHttpFetch(outbound))
  const url = `https://${host}/v2/updates/price/latest?ids%5B%5D=${btcUsd}&parsed=true`
  const asked = {
    projectId: "bench",
    url,
    method: "GET",
    headers: [],
    body: new Uint8Array(),
    timeoutMs: 30_000,
    maxResponseBytes: 1_048_576
  }
  const fetchOnce = Effect.flatMap(HttpFetch, ({ fetch }) => fetch(asked))
  const headers = { ...facts, "content-length": Buffer.byteLength(body) }
  const statusOf = ({ status }) => status ?? 500
  if (isBun) {
    const handle = async () => new Response(body, { headers, status: statusOf(await machine.runPromise(fetchOnce)) })
    return globalThis.Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: handle }).port
  }
  return listen(
    createServer((_, answer) => {
      void machine.runPromise(fetchOnce).then((response) => answer.writeHead(statusOf(response), headers).end(body))
    })
  )
}

const { authorization, first, oracle, path } = await openService()
if (kind.startsWith("bare")) await oracle.close()
tell({ port: await (kind.startsWith("bare") ? serveFetches(first) : serve(oracle.service)), path, authorization })
