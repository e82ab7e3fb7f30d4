// Compiles a metered module, calls its entry for half a second, waits until no compiler thread works, and prints what that took.
import { readFileSync } from "node:fs"

const [file, sliceText] = process.argv.slice(2)
const slice = BigInt(sliceText)
const bytes = readFileSync(file)
const hotMs = 600

/** Processor time of all threads, in ms. */
const usedMs = () => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1_000
}
const peakMib = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]) / 1024

const outOfTime = new Error("time is up")
let untilMs = Number.POSITIVE_INFINITY
const imports = {
  wasi_snapshot_preview1: { proc_exit: () => {} },
  sibyl: {
    refill: () => {
      if (performance.now() > untilMs) throw outOfTime
      instance.exports.gas.value = slice
    }
  }
}
const attempt = () => {
  instance.exports.gas.value = slice
  try {
    instance.exports._start()
  } catch (fault) {
    if (fault !== outOfTime && !(fault instanceof WebAssembly.RuntimeError) && !(fault instanceof RangeError)) throw fault
  }
}

const base = { mib: peakMib(), ms: usedMs() }
const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), imports)
// The first call waits for the baseline compiler. Where it does not end, a loop of the program runs.
untilMs = performance.now() + hotMs
attempt()
const startupMs = usedMs() - base.ms
let calls = 1
const hotFrom = { atMs: performance.now(), ms: usedMs() }
untilMs = hotFrom.atMs + hotMs
while (performance.now() < untilMs) {
  attempt()
  calls += 1
}
const ranMs = performance.now() - hotFrom.atMs
// Compilers go on in other threads.
for (let before = usedMs(); ;) {
  await new Promise((resume) => setTimeout(resume, 100))
  const now = usedMs()
  if (now - before < 15) break
  before = now
}
const optimisingMs = Math.max(0, usedMs() - hotFrom.ms - ranMs)
console.log(JSON.stringify({ startupMs, calls, optimisingMs, compileMs: startupMs + optimisingMs, peakMib: peakMib() - base.mib }))
