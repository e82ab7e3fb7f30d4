/** The whole demonstration: the project, a first execution, and one of each other example program. */
import { Effect } from "effect"
import type { Sibyl } from "../../service/sibyl.ts"
import { type Demo, prepareDemo } from "./demoProject.ts"
import { type DemoExecution, firstExecution } from "./firstExecution.ts"
import { type OtherExecution, otherExecutions } from "./otherExecutions.ts"

/** What was done, to be shown. */
export interface Demonstration {
  readonly demo: Demo
  readonly run: DemoExecution
  readonly others: ReadonlyArray<OtherExecution>
}

/** Demonstrates the server at `url`, which listens already, on the database of `oracle`. */
export const demonstrate = (oracle: Sibyl, data: string, url: string) =>
  Effect.gen(function* () {
    const demo = yield* prepareDemo(oracle, data, url)
    const run = yield* firstExecution(demo)
    const demonstration: Demonstration = { demo, run, others: yield* otherExecutions(demo) }
    return demonstration
  })
