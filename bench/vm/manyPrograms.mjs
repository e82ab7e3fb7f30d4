/**
 * Runs of N programs in turns on two workers: `node bench/vm/manyPrograms.mjs N [process|thread]`, or with Bun. The programs are the price
 * program with a section of their own each; their fetches are refused, so that only the VM works. A worker keeps 32 instances: of more
 * programs, each run has a new one.
 */
import { readFileSync } from "node:fs"
import { layerProgramRuntime } from "@sibyl/vm"
import { defaultLimits, HttpFetch, programIdOf, ProgramRuntime } from "@sibyl/core"
import { Layer, ManagedRuntime } from "effect"

const [, , many = "50", isolation = "process"] = process.argv
const count = Number(many)
const forMs = 4_000
const atOnce = 8

const bytes = readFileSync(new URL("../../programs/build/crypto-price.wasm", import.meta.url))
/** A custom section with a name of one letter and the number. */
const programs = Array.from({ length: count }, (_, at) => {
  const program = new Uint8Array([...bytes, 0, 4, 1, 0x78, at & 0x7f, at >> 7])
  return { program, programId: programIdOf(program) }
})

const pool = layerProgramRuntime({ workers: 2, spareWorkers: 0, isolation })
const machine = ManagedRuntime.make(Layer.provide(pool, HttpFetch.layerClosed))
const { run } = await machine.runPromise(ProgramRuntime)
const runNumber = (at) =>
  machine.runPromise(
    run({
      ...programs[at % count],
      phase: "exec",
      projectId: "project",
      args: [],
      envs: [["VM_MODE", "dr"]],
      gasLimit: 300_000_000_000_000n,
      limits: { ...defaultLimits, queueWaitMs: 60_000 }
    })
  )

// Compiled, and known as programs that run again.
for (let round = 0; round < 3; round += 1) await Promise.all(programs.map((_, at) => runNumber(at)))
let done = 0
const startedMs = performance.now()
const keepOn = async () => {
  while (performance.now() - startedMs < forMs) await runNumber(done++)
}
await Promise.all(Array.from({ length: atOnce }, keepOn))
const perSecond = (done * 1_000) / (performance.now() - startedMs)
console.log(`${process.versions.bun === undefined ? "Node" : "Bun"}, ${isolation}, ${count} programs: ${perSecond.toFixed(0)} runs/s`)
await machine.dispose()
process.exit()
