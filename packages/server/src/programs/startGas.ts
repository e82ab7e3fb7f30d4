/** What a run of a program costs without inputs and without any answer from outside. */
import type { Limits } from "@sibyl/core"
import { Effect } from "effect"
import { runRefused, scopedBench } from "./benchSettings.ts"

/** A program that does not end by itself is not waited for longer than this. */
const wallClockMs = 2_000

/** The gas of the execution phase of such a run, and how it ended. */
export interface StartGas {
  readonly gasUsed: bigint
  readonly exitCode: number
}

/** Runs the program without inputs and without a way out, within the server's limits. */
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
