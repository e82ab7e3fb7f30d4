/** The gas of a run without inputs and without answers from outside. */
import { type Limits, ProgramRuntime } from "@sibyl/core"
import { Effect, Layer } from "effect"
import { runRefused, scopedBench } from "./benchSettings.ts"

/** How long to wait for a program that does not end by itself: on a busy machine too, one that ends its worker has to have the time for it. */
const wallClockMs = 10_000

/** The gas of the execution phase of such a run, and how it ended; `stderr` has the reason where the machine ended it. */
export interface StartGas {
  readonly gasUsed: bigint
  readonly exitCode: number
  readonly stderr: string
}

/** Runs the program without inputs and without network access, within the server's limits, on the runtime that it is given. */
export const startGasOf = (program: Uint8Array, limits: Limits) =>
  Effect.scoped(
    Effect.gen(function* () {
      const execWallClockMs = Math.min(limits.execWallClockMs, wallClockMs)
      const machine = Layer.succeed(ProgramRuntime, yield* ProgramRuntime)
      const bench = yield* scopedBench({ machine, service: { limits: { ...limits, execWallClockMs } } })
      const { exec } = yield* Effect.tryPromise({ try: () => bench.run({ program }), catch: runRefused })
      const { exitCode, gasUsed, stderr } = exec
      const gas: StartGas = { gasUsed, exitCode, stderr }
      return gas
    })
  )
