// Compiles a metered module, calls its entry for half a second, waits until no compiler thread works, and prints what that took.
import { readFileSync } from "node:fs"

const [file, sliceText] = process.argv.slice(2)
const slice = BigInt(sliceText)
const bytes = readFileSync(file)
const used = () => process.cpuUsage().user + process.cpuUsage().system
const peakMib = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]) / 1024
const baseMib = peakMib()
const baseCpu = used()

const startMs = performance.now()
const module = new WebAssembly.Module(bytes)
const until = { ms: Number.POSITIVE_INFINITY }
let calls = 0
const outOfTime = new Error("time is up")
const imports = {
  wasi_snapshot_preview1: { proc_exit: () => {} },
  sibyl: {
    refill: () => {
      if (performance.now() > until.ms) throw outOfTime
      instance.exports.gas.value = slice
    }
  }
}
const instance = new WebAssembly.Instance(module, imports)
const run = () => {
  instance.exports.gas.value = slice
  instance.exports._start()
}
const attempt = (act) => {
  try {
    act()
  } catch (fault) {
    if (fault !== outOfTime && !(fault instanceof WebAssembly.RuntimeError) && !(fault instanceof RangeError)) throw fault
  }
}
// The first call waits for the baseline compiler.
until.ms = performance.now() + 20_000
const firstFrom = performance.now()
let firstMs = 0
const half = performance.now() + 600
until.ms = half
attempt(() => {
  run()
  firstMs = performance.now() - firstFrom
  calls = 1
})
if (calls === 0) firstMs = Math.max(0, performance.now() - firstFrom - 600)
const startupMs = firstFrom - startMs + firstMs
while (performance.now() < half) {
  attempt(run)
  calls += 1
}
const runMs = performance.now() - firstFrom
// Threads of the compiler go on.
let before = used()
for (;;) {
  await new Promise((resume) => setTimeout(resume, 100))
  const now = used()
  if (now - before < 15_000) break
  before = now
}
const cpuMs = (used() - baseCpu) / 1_000
console.log(
  JSON.stringify({
    startupMs,
    runMs,
    calls,
    compileCpuMs: Math.max(0, cpuMs - runMs + firstMs),
    peakMib: peakMib() - baseMib,
    afterMs: performance.now() - half
  })
)
