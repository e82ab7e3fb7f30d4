/**
 * Searches for modules that the reader accepts and that an engine compiles dearly: genomes of gadgets, scaled until they just fit within the
 * bounds, changed where they were found to be dear. `node bench/bombs/search.mjs SECONDS [SEED [RUNTIME [fast|exact]]]`, after `npm run build`; Linux only. Each module is
 * compiled in a process of its own, which is ended beyond 2 GiB or after 60 s. The engines' thresholds are lowered there, so that all of its
 * functions become hot within a second: a program that runs for long enough comes to the same.
 */
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { meterProgram, meterProgramExactly } from "../../packages/vm/dist/pass/prepare.js"
import { gadgetNames, moduleOf } from "./gadgets.mjs"

const [secondsText = "60", seedText = "1", runtime = process.execPath, build = "fast"] = process.argv.slice(2)
/** A slice of gas in the units that each build counts in. */
const slices = { fast: "10000000", exact: "20000000000" }
const measureFile = fileURLToPath(new URL("measure.mjs", import.meta.url))
const isBun = runtime.includes("bun")
/** The settings with which workers that are processes start are tried with `FLAGS`, for Node, and the environment, for Bun. */
const flags = isBun ? [] : ["--wasm-tiering-budget=20000", ...(process.env.FLAGS ?? "").split(" ").filter(Boolean)]
const environment = isBun ? { BUN_JSC_thresholdForOMGOptimizeAfterWarmUp: "100", ...process.env } : process.env
const hotMs = 1_000
const folder = mkdtempSync(join(tmpdir(), "sibyl-bombs-"))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))

let state = Number(seedText) >>> 0
const random = () => {
  state = (state + 0x6d2b79f5) >>> 0
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
}
const pick = (list) => list[Math.floor(random() * list.length)]
const spread = (from, to) => Math.exp(Math.log(from) + random() * (Math.log(to) - Math.log(from)))

const newPart = () => ({ gadget: pick(gadgetNames), a: spread(1, 300), b: spread(1, 3_000) })
const newGenome = () => ({
  functions: random() < 0.3 ? 1 : spread(1, 3_000),
  locals: spread(1, 3_000),
  wrap: random() < 0.5,
  parts: Array.from({ length: pick([1, 1, 1, 2, 3]) }, newPart)
})
const changed = (genome) => {
  const factor = () => (random() < 0.5 ? 1 : spread(0.4, 2.5))
  const parts = genome.parts.map((part) => ({ ...part, a: part.a * factor(), b: part.b * factor() }))
  if (random() < 0.2) parts.push(newPart())
  if (random() < 0.2 && parts.length > 1) parts.splice(Math.floor(random() * parts.length), 1)
  return {
    functions: Math.max(1, genome.functions * factor()),
    locals: genome.locals * factor(),
    wrap: random() < 0.1 ? !genome.wrap : genome.wrap,
    parts
  }
}

/** The metered module of a genome at a scale of its repetitions; undefined if it is refused. */
const metered = (genome, scale) => {
  const parts = genome.parts.map((part) => ({ ...part, b: part.b * scale }))
  const size = parts.reduce((sum, { a, b }) => sum + a * b, 0) * genome.functions
  if (size > 3_000_000) return undefined
  const bytes = moduleOf({ ...genome, parts })
  if (bytes.length > 1_048_576) return undefined
  const verdict = meterProgram(bytes, "exec", 160)
  if (!verdict.accepted && verdict.refusal.kind !== "bound") throw new Error(`${verdict.refusal.message}: ${JSON.stringify(genome)}`)
  if (!verdict.accepted) return undefined
  if (build === "fast") return { bytes, code: verdict.value.metered, scale }
  const exact = meterProgramExactly({ bytes, phase: "exec", memoryPages: 160 })
  if (!exact.accepted) throw new Error(`${exact.refusal.message}: ${JSON.stringify(genome)}`)
  return { bytes, code: exact.value, scale }
}

/** The largest scale that is accepted, to within some percent. */
const fitted = (genome) => {
  let best = metered(genome, 1)
  let high = best === undefined ? 1 : 2
  if (best === undefined) {
    for (; high > 0.01 && best === undefined; high /= 2) best = metered(genome, high / 2)
    high *= 2
  } else {
    for (let larger = metered(genome, high); larger !== undefined && high < 256; larger = metered(genome, high)) {
      best = larger
      high *= 2
    }
  }
  for (let step = 0; step < 4 && best !== undefined; step += 1) {
    const middle = (best.scale + high) / 2
    const fits = metered(genome, middle)
    if (fits === undefined) high = middle
    else best = fits
  }
  return best
}

const measured = ({ code }) =>
  new Promise((resolve) => {
    const file = join(folder, "module.wasm")
    writeFileSync(file, code)
    let peakMib = 0
    const child = execFile(
      runtime,
      [...flags, measureFile, file, slices[build], `${hotMs}`],
      { env: environment, timeout: 60_000, killSignal: "SIGKILL" },
      (error, stdout) => {
        clearInterval(watch)
        if (error)
          resolve({
            startupMs: 60_000,
            compileMs: 60_000,
            afterMs: 0,
            peakMib,
            failed: error.signal ?? error.message.slice(0, 300)
          })
        else resolve(JSON.parse(stdout))
      }
    )
    const watch = setInterval(() => {
      try {
        peakMib = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))[1]) / 1024
        if (peakMib > 2_048) child.kill("SIGKILL")
      } catch {
        // It has ended.
      }
    }, 50)
  })

const scores = {
  memory: ({ peakMib }) => peakMib / 256,
  processor: ({ compileMs }) => compileMs / 2_000
}

const shown = (genome) =>
  `${genome.parts.map(({ a, b, gadget }) => `${gadget}(${Math.round(a)}, ${Math.round(b)})`).join(" + ")}; ${Math.round(genome.functions)} functions, ${Math.round(genome.locals)} locals${genome.wrap ? ", alive" : ""}`

const best = Object.fromEntries(Object.keys(scores).map((name) => [name, []]))
const until = performance.now() + Number(secondsText) * 1_000
let tried = 0
const first = gadgetNames.flatMap((gadget) => [
  { functions: 1, locals: 50, wrap: true, parts: [{ gadget, a: 20, b: 100 }] },
  { functions: 1, locals: 1_000, wrap: true, parts: [{ gadget, a: 200, b: 100 }] },
  { functions: 40, locals: 20, wrap: false, parts: [{ gadget, a: 5, b: 100 }] },
  { functions: 500, locals: 10, wrap: false, parts: [{ gadget, a: 5, b: 100 }] }
])
// Not the same ones first each time.
first.sort(() => random() - 0.5)
while (performance.now() < until) {
  const parents = Object.values(best).flatMap((list) => list.map(({ genome }) => genome))
  const genome = first.shift() ?? (parents.length === 0 || random() < 0.35 ? newGenome() : changed(pick(parents)))
  const module = fitted(genome)
  if (module === undefined) continue
  const fit = { ...genome, parts: genome.parts.map((part) => ({ ...part, b: part.b * module.scale })) }
  const figures = await measured(module)
  tried += 1
  for (const [name, score] of Object.entries(scores)) {
    const list = best[name]
    const entry = { score: score(figures), genome: fit, figures, sizes: [module.bytes.length, module.code.length] }
    list.push(entry)
    list.sort((one, other) => other.score - one.score)
    if (list.length > 12) list.length = 12
    if (list[0] === entry) {
      const { compileMs, failed = "", peakMib, startupMs } = figures
      process.stdout.write(
        `${String(tried).padStart(5)} ${name.padEnd(9)} ${entry.score.toFixed(2)}: ${Math.round(peakMib)} MiB, ${Math.round(startupMs)} ms to start, ${Math.round(compileMs)} ms of compilers, ${entry.sizes.join(" to ")} bytes: ${shown(fit)} ${failed}\n`
      )
    }
  }
}
process.stdout.write(`${tried} modules tried\n`)
for (const [name, list] of Object.entries(best)) {
  for (const { figures, genome, score } of list.slice(0, 6)) {
    process.stdout.write(`${name} ${score.toFixed(2)} ${JSON.stringify(figures)} ${shown(genome)}\n`)
  }
}
const results = fileURLToPath(new URL("../../bench-results/", import.meta.url))
mkdirSync(results, { recursive: true })
writeFileSync(join(results, "bombs.json"), JSON.stringify(best, null, 1))
