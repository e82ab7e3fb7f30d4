/** Which charges of the exact build stand in the code itself, and which are calls. */
import { BodyReader } from "../../binary/bodyReader.ts"
import { BodyValidator } from "../../binary/bodyValidator.ts"
import { CompileCost } from "../../binary/compileCost.ts"
import type { FeatureRules, ModuleShape } from "../../binary/moduleShape.ts"
import { placeCost } from "../../binary/operatorCost.ts"
import { referableFunctions } from "../../binary/referableFunctions.ts"
import { typeOf } from "./bodySurvey.ts"
import { role, roleOf } from "./operatorRoles.ts"

/**
 * What charges in the code may cost to compile together, in the units of {@link CompileCost}: each is a branch, where compilers copy the place
 * of every local and operand. A call costs a fraction of that, but a loop of little else takes three times as long on Node 20, which never
 * puts the called function in its place. So charges in the innermost loops come first, and small programs have no calls. Without this bound an
 * accepted module of 0.4 MB took the compilers 2.9 s; 8 million units are 0.3 s.
 */
const unitsInCode = 8_000_000

/** Loops inside of so many others count as one in so many. */
export const deepestLoop = 8

/** The least number of loops around a charge that stands in the code itself; above {@link deepestLoop} if none does. The module was checked before. */
export const loopsAroundCharges = (module: ModuleShape, rules: FeatureRules): number => {
  const unitsAt = new Float64Array(deepestLoop + 1)
  const body = new BodyReader(module, rules)
  const cost = new CompileCost()
  const validator = new BodyValidator(module, body, referableFunctions(module), cost)
  for (const [at, range] of module.bodies.entries()) {
    const type = typeOf(module, module.importedFunctions + at)
    body.begin(range, type.parameters)
    validator.begin(type)
    while (body.next()) {
      if (roleOf(body.operator) === role.charge) {
        const loops = Math.min(cost.openLoops, deepestLoop)
        unitsAt[loops] = (unitsAt[loops] ?? 0) + validator.values + placeCost
      }
      validator.check()
    }
  }
  let left = unitsInCode
  let least = deepestLoop + 1
  while (least > 0) {
    left -= unitsAt[least - 1] ?? 0
    if (left < 0) break
    least -= 1
  }
  return least
}
