// A process with a worker process on an endless program, until it is killed.
import { defaultLimits, HttpFetch, programIdOf, ProgramRuntime } from "@sibyl/core"
import { encodeModule, end, hostImport } from "@sibyl/testing/wasm"
import { layerProgramRuntime } from "@sibyl/vm"
import { Effect, Layer, ManagedRuntime } from "effect"

const machine = layerProgramRuntime({ workers: 1, isolation: "process" }).pipe(Layer.provide(HttpFetch.layerClosed))
const runtime = ManagedRuntime.make(machine)
const program = encodeModule({ imports: [hostImport.procExit], memory: 1, functions: [{ code: [0x03, 0x40, 0x0c, 0, end] }] })
const request = {
  phase: "exec",
  projectId: "project",
  programId: programIdOf(program),
  program,
  args: [],
  envs: [],
  gasLimit: 2n ** 64n - 1n,
  limits: { ...defaultLimits, execWallClockMs: 600_000 }
}
void runtime.runPromise(Effect.flatMap(ProgramRuntime, (programs) => programs.run(request)))
