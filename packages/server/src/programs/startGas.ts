/** The gas of a run without inputs and without answers from outside. */
import type { Limits } from "@sibyl/core"
import { Effect } from "effect"
import { runRefused, scopedBench } from "./benchSettings.ts"

/** How long to wait for a program that does not end by itself. */
const wallClockMs = 2_000

/** The gas of the execution phase of such a run, and how it ended. */
export interface StartGas {
  readonly gasUsed: bigint
  readonly exitCode: number
}

/** Runs the program without inputs and without network access, within the server's limits. */
export const startGasOf = (program: Uint8Array, limits: Limits) =>
  Effect.scoped(
    Effect.gen(function* () {
      const execWallClockMs = Math.min(limits.execWallClockMs, wallClockMs)
      const bench = yield* scopedBench({ service: { limits: { ...limits, execWallClockMs } } })
      const { exec } = yield* Effect.tryPromise({ try: () => bench.run({ program }), catch: runRefused })
      const gas: StartGas = { gasUsed: exec.gasUsed, exitCode: exec.exitCode }
      return gas
    })
  )
