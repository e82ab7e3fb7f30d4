// Compiles a metered module, calls its entry until its functions are hot, waits until no compiler works any more, and prints what that took.
// Linux only. The processor time of compilers is that of all threads without what the calling thread used while it called.
import { readFileSync } from "node:fs"

const [file, sliceText, hotMsText] = process.argv.slice(2)
const slice = BigInt(sliceText)
const bytes = readFileSync(file)

/** Processor time of all threads, in ms. */
const usedMs = () => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1_000
}
/** That of the main thread, in steps of 10 ms. */
const ownMs = () => {
  const text = readFileSync(`/proc/self/task/${process.pid}/stat`, "utf8")
  const [user, system] = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13)
  return (Number(user) + Number(system)) * 10
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
const startupMs = usedMs() - base.ms
const calling = ownMs()
untilMs = performance.now() + Number(hotMsText)
let calls = 0
do {
  attempt()
  calls += 1
} while (performance.now() < untilMs)
const runMs = ownMs() - calling
const endMs = usedMs()
// Compilers go on in other threads. Two quiet looks, because threads of a busy machine do not run all the time.
for (let before = endMs, quiet = 0; quiet < 2;) {
  await new Promise((resume) => setTimeout(resume, 100))
  const now = usedMs()
  quiet = now - before < 15 ? quiet + 1 : 0
  before = now
}
const afterMs = usedMs() - endMs
const compileMs = Math.max(0, usedMs() - base.ms - runMs)
console.log(JSON.stringify({ startupMs, calls, runMs, afterMs, compileMs, peakMib: peakMib() - base.mib }))
