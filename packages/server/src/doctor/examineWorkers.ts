/** Starts a worker and runs the smallest program on it. */
import { availableParallelism } from "node:os"
import { defaultLimits, HttpFetch, programIdOf, ProgramRuntime } from "@sibyl/core"
import { layerProgramRuntime } from "@sibyl/vm"
import { Effect, Layer } from "effect"
import type { Configuration } from "../config/configuration.ts"
import { given } from "../config/given.ts"
import { type Finding, finding, orFailed } from "./finding.ts"

/** A module with a page of memory and a `_start` that does nothing. */
const idleProgram = Uint8Array.from([
  0x00,
  0x61,
  0x73,
  0x6d,
  0x01,
  0x00,
  0x00,
  0x00, // wasm, version 1
  0x01,
  0x04,
  0x01,
  0x60,
  0x00,
  0x00, // one type: nothing in, nothing out
  0x03,
  0x02,
  0x01,
  0x00, // one function of it
  0x05,
  0x03,
  0x01,
  0x00,
  0x01, // one memory of a page
  0x07,
  0x13,
  0x02,
  0x06,
  0x6d,
  0x65,
  0x6d,
  0x6f,
  0x72,
  0x79,
  0x02,
  0x00, // exports: memory,
  0x06,
  0x5f,
  0x73,
  0x74,
  0x61,
  0x72,
  0x74,
  0x00,
  0x00, // and _start
  0x0a,
  0x04,
  0x01,
  0x02,
  0x00,
  0x0b // its empty body
])

const check = "workers"
const patienceMs = 20_000

const run = Effect.flatMap(ProgramRuntime, (runtime) =>
  runtime.run({
    phase: "exec",
    projectId: "doctor",
    programId: programIdOf(idleProgram),
    program: idleProgram,
    args: [],
    envs: [],
    gasLimit: 300_000_000_000_000n,
    limits: defaultLimits
  })
)

/** More than so many for a processor only wait for one another, and each takes its memory. */
const mostForProcessor = 8

const countFinding = (workers: number): Finding => {
  const processors = availableParallelism()
  return workers > mostForProcessor * processors
    ? finding(
        check,
        "warning",
        `a program runs; ${workers} workers are many for ${processors} processors: each takes some 60 MB and starts with the server`
      )
    : finding(check, "ok", "a program runs")
}

/** Whether programs can run on this machine: in one worker, however many the server has, which may be running beside this. */
export const examineWorkers = ({ isolation, workerMemoryMib, workers = 1 }: Configuration): Effect.Effect<Finding> =>
  run.pipe(
    Effect.provide(
      layerProgramRuntime({ isolation, workers: 1, spareWorkers: 0, ...given({ workerMemoryMib }) }).pipe(
        Layer.provide(HttpFetch.layerClosed)
      )
    ),
    Effect.map(({ exitCode, exitMessage }) =>
      exitCode === 0 ? countFinding(workers) : finding(check, "failed", `the smallest program ended with ${exitCode}: ${exitMessage}`)
    ),
    Effect.catchTag("Overloaded", ({ message }) => Effect.succeed(finding(check, "failed", message))),
    Effect.timeoutTo({
      duration: patienceMs,
      onSuccess: (found) => found,
      onTimeout: () => finding(check, "failed", `no worker answered within ${patienceMs / 1_000} s`)
    }),
    (effect) => orFailed(check, effect)
  )
