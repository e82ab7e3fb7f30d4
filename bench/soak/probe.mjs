/**
 * What a client beside the load sees, from a process of its own: `/health`, also on a new connection each time as load balancers ask for it, a
 * remembered result, the answer kept under an idempotency key, and runs of a project that has no part in the load. Each has one request
 * under way at a time.
 */
import { get } from "node:http"

const { body, key, port, remembered } = JSON.parse(process.argv[2])

const url = `http://127.0.0.1:${port}`
const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
const pauseMs = 50

const anew = Symbol("on a connection of its own")

const asked = {
  health: ["/health", {}],
  healthAnew: ["/health", anew],
  remembered: [remembered, { headers }],
  replayed: ["/execute", { method: "POST", headers: { ...headers, "idempotency-key": "soak" }, body }],
  run: ["/execute", { method: "POST", headers, body }]
}

let phase = "rest"
const ending = new AbortController()
/** Times in ms by phase and kind, and every answer other than 200. */
const times = {}
const others = {}
/** When each kind has been answered, ms since the load ended, with what it took. */
const since = {}
let endedAt = 0

const patienceMs = 30_000

/** The status of an answer on a connection of its own. */
const askAnew = (path) =>
  new Promise((resolve, reject) => {
    const request = get(`${url}${path}`, { agent: false, timeout: patienceMs }, (response) => {
      response.once("end", () => resolve(response.statusCode)).resume()
    })
    request.once("timeout", () => request.destroy(new Error("TimeoutError")))
    request.once("error", reject)
  })

const ask = async (path, init) => {
  if (init === anew) return askAnew(path)
  const response = await fetch(`${url}${path}`, { ...init, signal: AbortSignal.timeout(patienceMs) })
  await response.arrayBuffer()
  return response.status
}

const once = async (name) => {
  const [path, init] = asked[name]
  const at = phase
  const startedAt = performance.now()
  let status
  try {
    status = await ask(path, init)
  } catch (cause) {
    status = cause?.cause?.code ?? cause?.code ?? cause?.name
  }
  const tookMs = performance.now() - startedAt
  if (status === 200) ((times[at] ??= {})[name] ??= []).push(tookMs)
  else ((others[at] ??= {})[name] ??= []).push(status)
  if (at === "after") (since[name] ??= []).push({ atMs: performance.now() - endedAt, tookMs, status })
}

const forever = async (name) => {
  while (!ending.signal.aborted) {
    await once(name)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

for (const name of Object.keys(asked)) for (let round = 0; round < 20; round += 1) await once(name)
for (const kinds of Object.values(times)) for (const list of Object.values(kinds)) list.length = 0
const asking = Promise.all(Object.keys(asked).map(forever))

const report = async () => {
  ending.abort()
  await asking
  process.send({ times, others, since }, () => process.exit())
}

process.on("message", (message) => {
  if (message === "stop") return void report()
  phase = message
  if (phase === "after") endedAt = performance.now()
})
process.send("ready")
