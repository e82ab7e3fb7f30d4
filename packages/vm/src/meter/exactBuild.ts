/** The exact build: each charge where the reference makes it, in a global, so that a trap leaves the reference's gas. */
import type { ModuleShape } from "../binary/moduleShape.ts"
import { typeOf } from "./survey/bodySurvey.ts"
import { meteredNames, type Build, type MeterOptions, writeOwnTypes } from "./build.ts"
import { ByteWriter } from "./byteWriter.ts"
import { loopsAroundCharges } from "./survey/chargePlaces.ts"
import { chargeType, type ExactPlan, writeCharge, writeExactBody } from "./exactBody.ts"

/** What the rewriter of bodies needs to know of this module. `leastLoops` is only for tests, which try other places of charges. */
export const exactPlan = (
  module: ModuleShape,
  { phase, rules }: MeterOptions,
  leastLoops = loopsAroundCharges(module, rules)
): ExactPlan => ({
  module,
  rules,
  phase,
  gasGlobal: module.globals.length,
  refill: module.importedFunctions,
  charge: module.functions.length + 1,
  leastLoops,
  functionIndex: (original) => (original < module.importedFunctions ? original : original + 1)
})

/** The exact build of a module whose bodies were surveyed. */
export const exactBuild = (module: ModuleShape, options: MeterOptions, leastLoops?: number): Build => {
  const plan = exactPlan(module, options, leastLoops)
  const { functionIndex } = plan
  return {
    functionIndex,
    entryIndex: functionIndex,
    writeTypes: (out) => {
      out.u32(module.types.length + 2)
      writeOwnTypes(out, module)
      out.bytes([0x60, 0, 0, ...chargeType])
    },
    imports: [{ name: meteredNames.refill, type: module.types.length }],
    functionTypes: () => [...module.functions.slice(module.importedFunctions), module.types.length + 1],
    bodies: module.bodies.length + 1,
    reset: undefined,
    writeBodies: (out) => {
      const scratch = { operators: new ByteWriter(4_096), body: new ByteWriter(4_096) }
      for (const [at, range] of module.bodies.entries()) {
        writeExactBody(plan, range, typeOf(module, module.importedFunctions + at), scratch, out)
      }
      writeCharge(plan, scratch.body, out)
    }
  }
}
