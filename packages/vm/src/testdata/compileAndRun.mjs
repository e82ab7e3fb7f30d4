// Compiles a metered module and runs its entry function for at most two seconds, then waits until no compiler thread works.
import { readFileSync } from "node:fs"

const module = new WebAssembly.Module(readFileSync(process.argv[2]))
const until = performance.now() + 2_000
const slice = BigInt(process.argv[3])
const imports = {
  wasi_snapshot_preview1: { proc_exit: () => {} },
  sibyl: {
    refill: () => {
      if (performance.now() > until) throw new Error("time is up")
      instance.exports.gas.value = slice
    }
  }
}
const instance = new WebAssembly.Instance(module, imports)
instance.exports.gas.value = slice
try {
  instance.exports._start()
} catch (fault) {
  if (fault.message !== "time is up") throw fault
}
let used = process.cpuUsage().user
for (;;) {
  await new Promise((resume) => setTimeout(resume, 300))
  const now = process.cpuUsage().user
  if (now - used < 50_000) break
  used = now
}
console.log("ended")
