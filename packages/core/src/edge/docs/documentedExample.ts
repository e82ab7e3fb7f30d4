/** The example request in the documentation: for a program that is deployed, so that it runs when tried. */
import { Effect } from "effect"
import { fromUtf8 } from "../../domain/encoding/bytes.ts"
import { dataRequestIdOf } from "../../domain/protocol/dataRequestId.ts"
import { dataRequestOf } from "../../domain/protocol/dataRequestOf.ts"
import { defaultGasLimits } from "../../domain/settings/gasLimits.ts"
import { ProgramStore } from "../../ports/programStore.ts"
import { type ExampleRequest, Options, type ResolvedOptions } from "../../services/settings/serviceOptions.ts"

/** An example with its drId for a project with the default gas limits. */
export interface DocumentedExample extends ExampleRequest {
  readonly drId: string
}

/** The inputs as a query parameter. */
export const inputText = ({ execInputs }: ExampleRequest): string | undefined =>
  execInputs === undefined ? undefined : JSON.stringify(execInputs)

const documented = (example: ExampleRequest, options: ResolvedOptions): DocumentedExample => {
  const { execProgramId } = example
  const execInputs = fromUtf8(inputText(example) ?? "")
  const key = { execProgramId, execInputs, tallyProgramId: execProgramId, tallyInputs: new Uint8Array() }
  return { ...example, drId: dataRequestIdOf(dataRequestOf(key, defaultGasLimits, options)) }
}

/** The first configured example whose program is deployed, else the oldest program without inputs, else none. */
export const documentedExample: Effect.Effect<DocumentedExample | undefined, never, Options | ProgramStore> = Effect.gen(function* () {
  const options = yield* Options
  const programs = yield* (yield* ProgramStore).list
  const [oldest] = programs
  const example = options.exampleRequests.find(({ execProgramId }) => programs.some(({ programId }) => programId === execProgramId))
  if (example !== undefined) return documented(example, options)
  return oldest === undefined ? undefined : documented({ execProgramId: oldest.programId }, options)
}).pipe(Effect.catchAllCause(() => Effect.succeed(undefined)))
