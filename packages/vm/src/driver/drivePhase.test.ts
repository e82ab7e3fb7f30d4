/** Every golden case through the driver and the workers, replayed from its tape; no HTTP request is made. */
import { HttpFetch, programIdOf } from "@sibyl/core"
import { Effect, Layer, ManagedRuntime } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import type { Ending } from "../pass/ending.ts"
import { prepareProgram } from "../pass/prepare.ts"
import { WorkerPool } from "../pool/workerPool.ts"
import { threadWorkers } from "../workers/openWorker.ts"
import { workerFile } from "../workers/workerFile.ts"
import { calling } from "../testdata/calling.ts"
import { deviations } from "../testdata/deviations.ts"
import { everydayCases } from "../testdata/everyday.ts"
import { runToEnd } from "../testdata/runToEnd.ts"
import { asExpected, emptyTape, execVectors, tallyVectors, type VectorCase } from "../testdata/vectors.ts"
import { drivePhase } from "./drivePhase.ts"

const pool = new WorkerPool({ workers: 2, queueBound: 1_000, cachedPrograms: 16, openWorker: threadWorkers(workerFile() ?? "") })
const unreachable = Layer.succeed(HttpFetch, { fetch: ({ url }) => Effect.die(new Error(`${url} was asked`)) })
const runtime = ManagedRuntime.make(unreachable)

afterAll(async () => {
  await pool.close()
  await runtime.dispose()
})

const inWorkers = async (vector: VectorCase): Promise<{ readonly local: Ending; readonly driven: Ending }> => {
  const { args, envs, gasLimit, limits, phase, program } = vector
  const preparation = prepareProgram(program, phase, limits.memoryPages)
  const { ending, tape } = runToEnd(preparation, { phase, args, envs, gasLimit, limits, tape: emptyTape }, vector.answer)
  const request = { ...vector, projectId: "project", programId: programIdOf(program) }
  const driven = await runtime.runPromise(calling((caller) => drivePhase({ pool, caller }, request, tape)))
  expect(driven.tape).toEqual(tape)
  return { local: ending, driven: driven.ending }
}

describe("the golden cases, replayed in the workers", () => {
  it.each(everydayCases([...tallyVectors, ...execVectors]).map((vector) => [`${vector.phase}:${vector.name}`, vector] as const))(
    "%s",
    async (key, vector) => {
      const { driven, local } = await inWorkers(vector)
      expect(driven).toEqual(local)
      if (deviations[key] === undefined) expect(asExpected(driven, vector)).toEqual(vector.expect)
    }
  )
})
