// A process of its own, so that neither the attack's work nor its connections delay it: asks /health and runs a bystander's programs, over and over.
const [, , url, key, ...programIds] = process.argv

/** No answer may take longer than this, ms; a liveness bound, not a goal. */
const patienceMs = 60_000
const pauseMs = 25

const figures = { healthMs: [], runMs: [], troubles: [] }
let stopped = false

const timed = async (what, into, path, init, wanted) => {
  const startedAt = performance.now()
  try {
    const response = await fetch(`${url}${path}`, { ...init, signal: AbortSignal.timeout(patienceMs) })
    const text = await response.text()
    if (response.status !== wanted) figures.troubles.push(`${what}: ${response.status} ${text.slice(0, 200)}`)
  } catch (cause) {
    figures.troubles.push(`${what}: ${cause?.name ?? ""} ${cause?.cause?.code ?? cause?.message ?? ""}`)
  }
  into.push(performance.now() - startedAt)
}

const forever = async (once) => {
  while (!stopped) {
    await once()
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
let runs = 0
const run = () => {
  const execProgramId = programIds[runs % programIds.length]
  runs += 1
  const body = JSON.stringify({ execProgramId, execInputs: `run ${runs}` })
  return timed("a bystander's run", figures.runMs, "/execute", { method: "POST", headers, body }, 200)
}
const health = () => timed("/health", figures.healthMs, "/health", {}, 200)

const asking = Promise.all([forever(run), forever(health)])

process.once("message", async () => {
  stopped = true
  await asking
  process.send(figures)
})
// The first round of both counts as warm-up: whoever started the process waits for it before the attack begins.
await Promise.all([...programIds.map(run), health()])
figures.healthMs.length = 0
figures.runMs.length = 0
process.send("ready")
