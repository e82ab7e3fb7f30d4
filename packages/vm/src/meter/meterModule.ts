/** Meters a module: checks its bodies once, writes the fast build, and the exact one for whoever needs it. */
import { moduleBounds } from "../binary/moduleBounds.ts"
import type { ModuleShape } from "../binary/moduleShape.ts"
import { surveyBodies, typeOf } from "./survey/bodySurvey.ts"
import type { MeterOptions } from "./build.ts"
import { ByteWriter } from "./byteWriter.ts"
import { type ExactPlan, writeExactBody } from "./exactBody.ts"
import { exactBuild, exactPlan } from "./exactBuild.ts"
import { fastBuild } from "./fastBuild.ts"
import { observedBuild } from "./observedBuild.ts"
import { writeModule } from "./writeModule.ts"

/** An upper bound for the bytes that one operator becomes in the exact build. */
const mostGrowth = 40

/** A body must fit the engines in its exact build too, which is written only when a run needs it. */
const checkExactSizes = (module: ModuleShape, options: MeterOptions): void => {
  const scratch = { operators: new ByteWriter(), body: new ByteWriter() }
  let plan: ExactPlan | undefined
  for (const [at, range] of module.bodies.entries()) {
    if ((range.to - range.from) * mostGrowth <= moduleBounds.meteredBodyBytes) continue
    plan ??= exactPlan(module, options)
    writeExactBody(plan, range, typeOf(module, module.importedFunctions + at), scratch, new ByteWriter())
  }
}

/** The fast build of a module. */
export interface MeteredModule {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Whether only the memory and the globals of an instance can change. */
  readonly restorable: boolean
}

/** The build that runs first. Refuses by leaving through `refuse`: call it inside of `verdictOf`. */
export const meterModule = (module: ModuleShape, options: MeterOptions): MeteredModule => {
  const survey = surveyBodies(module, options.rules)
  checkExactSizes(module, options)
  return { bytes: writeModule(module, fastBuild(module, survey, options), options), restorable: survey.restorable }
}

/** The build for a run that trapped or ran short, of a module that was metered before; `leastLoops` as in `exactPlan`. */
export const meterExactly = (module: ModuleShape, options: MeterOptions, leastLoops?: number): Uint8Array<ArrayBuffer> =>
  writeModule(module, exactBuild(module, options, leastLoops), options)

/** The observed build of a module that was metered before. */
export const meterObserved = (module: ModuleShape, options: MeterOptions): Uint8Array<ArrayBuffer> =>
  writeModule(module, observedBuild(module, options), options)
