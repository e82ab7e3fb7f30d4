/**
 * A process that times one warm execution of the price program, its fetch answered from the tape, beside the same module
 * un-metered on a bare host, in one thread; it prints the microseconds of each as JSON.
 */
import { readFileSync } from "node:fs"
import { startMarket } from "@sibyl/devkit/market"
import { defaultLimits } from "../../packages/core/dist/index.js"
import { fromUtf8, toHex } from "../../packages/core/dist/internal.js"
import { GuestCache } from "../../packages/vm/dist/pass/guestCache.js"
import { pass } from "../../packages/vm/dist/pass/pass.js"
import { prepareProgram } from "../../packages/vm/dist/pass/prepare.js"
import { fetchPromiseJson } from "../../packages/vm/dist/tape/promiseJson.js"
import { openBare } from "./bareHost.mjs"
import { exportGlobals } from "./exportGlobals.mjs"

const [, , file] = process.argv
const rounds = 300
const runsOfRound = 20

const bytes = new Uint8Array(readFileSync(file))
const preparation = prepareProgram(bytes, "exec", defaultLimits.memoryPages)
const btcUsd = "e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43"
const args = [toHex(fromUtf8(JSON.stringify({ id: btcUsd })))]
const startTimeMs = Date.now()

const inputWith = (entries) => ({
  phase: "exec",
  args,
  envs: [["VM_MODE", "dr"]],
  gasLimit: 300_000_000_000_000n,
  limits: defaultLimits,
  tape: { startTimeMs, seed: new Uint8Array(32), entries }
})

/** Asks the market once for what the program wants to know. */
const answered = async () => {
  const asked = pass(preparation, inputWith([]))
  if (asked.kind !== "needs") throw new Error("the program does not ask")
  const market = await startMarket({ seed: 1 })
  const { pathname, search } = new URL(asked.call.request.url)
  const response = await fetch(new URL(pathname + search, market.url))
  const body = new Uint8Array(await response.arrayBuffer())
  await market.close()
  const answer = {
    fulfilled: true,
    status: response.status,
    headers: [["content-type", "application/json"]],
    bytes: body,
    url: asked.call.request.url,
    contentLength: body.length
  }
  return { kind: "fetch", action: asked.call.action, atMs: startTimeMs, answer }
}

const entry = await answered()
const input = inputWith([entry])
const guests = new GuestCache()
const promiseOf = () => fetchPromiseJson(entry.answer)
const { run: bare } = openBare(new WebAssembly.Module(exportGlobals(bytes)), { args, clockMs: startTimeMs, promiseOf })

const metered = () => {
  const { ending } = pass(preparation, input, { guests })
  if (ending?.exitCode !== 0) throw new Error(`it failed: ${ending?.stderr}`)
  return ending.result
}

const timeOf = (run) => {
  const startedAt = performance.now()
  for (let turn = 0; turn < runsOfRound; turn += 1) run()
  return ((performance.now() - startedAt) / runsOfRound) * 1_000
}

const times = { metered: [], bare: [] }
for (let round = -50; round < rounds; round += 1) {
  if (toHex(bare()) !== toHex(metered())) throw new Error("the results differ")
  const of = { metered: timeOf(metered), bare: timeOf(bare) }
  if (round >= 0) for (const [name, us] of Object.entries(of)) times[name].push(us)
}
process.stdout.write(JSON.stringify({ meteredUs: Math.min(...times.metered), bareUs: Math.min(...times.bare) }))
