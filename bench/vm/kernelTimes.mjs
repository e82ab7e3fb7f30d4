/** A process that times every kernel metered and unmetered, side by side, and prints the minimum times as JSON. */
import { readFileSync } from "node:fs"
import { exactModule, prepareProgram } from "../../packages/vm/dist/pass/prepare.js"

const [, , ...files] = process.argv
const rounds = 9
/** Gas of a slice in the units of each build, about what a service uses. */
const slices = { fast: 106_666_666n, exact: 200_000_000_000n, bare: 0n }

const timeOf = (module, slice) => {
  let gas
  const imports = {
    seda_v1: { execution_result: () => {} },
    wasi_snapshot_preview1: {
      proc_exit: (code) => {
        throw new Error(`exit ${code}`)
      }
    },
    sibyl: {
      refill: () => {
        if (gas.value < 0n) gas.value += slice
      }
    }
  }
  const { exports } = new WebAssembly.Instance(module, imports)
  gas = exports.gas
  if (gas !== undefined) gas.value = slice
  const startedAt = performance.now()
  exports._start()
  return performance.now() - startedAt
}

/** The minimum, because other load on the machine only adds time. */
const least = (values) => Math.min(...values)

const measured = {}
for (const file of files) {
  const bytes = new Uint8Array(readFileSync(file))
  const preparation = prepareProgram(bytes, "exec", 160)
  if (!preparation.accepted) throw new Error(`${file}: ${preparation.refusal.message}`)
  const builds = { bare: new WebAssembly.Module(bytes), fast: preparation.value.fast, exact: exactModule(preparation.value) }
  const times = { bare: [], fast: [], exact: [] }
  // The first rounds are warm-up: engines optimise while code runs.
  for (let round = -3; round < rounds; round += 1) {
    for (const [name, module] of Object.entries(builds)) {
      const ms = timeOf(module, slices[name])
      if (round >= 0) times[name].push(ms)
    }
  }
  measured[file] = { bareMs: least(times.bare), fastMs: least(times.fast), exactMs: least(times.exact) }
}
process.stdout.write(JSON.stringify(measured))
