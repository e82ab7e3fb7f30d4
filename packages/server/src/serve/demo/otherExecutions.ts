/** One execution of each of the other example programs, their results as the JSON that they answer. */
import { ExecuteResponse, SummaryRecord } from "@sibyl/core"
import { Effect, Schema } from "effect"
import type { Demo, DeployedExample } from "./demoProject.ts"
import { DemoFailed } from "./demoFailed.ts"
import { fetchJson } from "./firstExecution.ts"

/** What a person is told of it. */
export interface OtherExecution {
  readonly name: string
  readonly programId: string
  readonly asks: string
  readonly result: unknown
  readonly creditsUsed: bigint
}

const execute = async ({ key, url }: Demo, example: DeployedExample): Promise<OtherExecution> => {
  const { asks, inputs, name, programId } = example
  const query = new URLSearchParams({
    execProgramId: programId,
    execInputs: JSON.stringify(inputs),
    encoding: "json",
    includeSummary: "true"
  })
  const { data } = Schema.decodeUnknownSync(ExecuteResponse)(await fetchJson(`${url}/execute?${query}`, key))
  const { creditsUsed } = Schema.decodeUnknownSync(SummaryRecord)(data.summary)
  return { name, programId, asks, result: data.result, creditsUsed: BigInt(creditsUsed) }
}

/** Executes them one after the other. */
export const otherExecutions = (demo: Demo): Effect.Effect<ReadonlyArray<OtherExecution>, DemoFailed> =>
  Effect.forEach(demo.others, (example) =>
    Effect.tryPromise({
      try: () => execute(demo, example),
      catch: (cause) => (cause instanceof DemoFailed ? cause : new DemoFailed({ message: `${example.name} failed: ${String(cause)}` }))
    })
  )
