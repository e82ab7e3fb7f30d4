/** Which functions may show how much gas is left while they run: those from which a host call can be reached. */
import { operator } from "../binary/operators.ts"
import type { ModuleShape } from "../binary/moduleShape.ts"
import type { ModuleSurvey } from "./survey/bodySurvey.ts"

/** What decides whether a caller may leave gas unpaid during a call. */
export interface GasObservers {
  /** By function index: whether the function or what it calls may call the host. */
  readonly functions: Uint8Array
  /** Whether any function that a table or a reference can hold is one of them. */
  readonly indirect: boolean
}

/** Every function that can be called indirectly. */
const referredFunctions = (module: ModuleShape, survey: ModuleSurvey): ReadonlySet<number> => {
  const referred = new Set(survey.referred)
  const constants = module.globalDefinitions.map(({ initial }) => initial)
  for (const { expressions, functions } of module.elements) {
    for (const index of functions ?? []) referred.add(index)
    constants.push(...(expressions ?? []))
  }
  for (const constant of constants) if (constant.operator === operator.refFunc) referred.add(constant.index)
  return referred
}

/** Goes from the imported functions to their callers; once a function in a table is met, to all that call through one. */
export const gasObservers = (module: ModuleShape, survey: ModuleSurvey): GasObservers => {
  const functions = new Uint8Array(module.functions.length)
  const referred = referredFunctions(module, survey)
  const { callers, first } = survey.calls.callers()
  const waiting: Array<number> = []
  let indirect = false
  const add = (index: number): void => {
    if (functions[index] === 1) return
    functions[index] = 1
    waiting.push(index)
  }
  for (let index = 0; index < module.importedFunctions; index += 1) add(index)
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    for (let at = first[index] ?? 0; at < (first[index + 1] ?? 0); at += 1) add(callers[at] ?? 0)
    if (indirect || !referred.has(index)) continue
    indirect = true
    for (const [at, { callsIndirectly }] of survey.bodies.entries()) if (callsIndirectly) add(module.importedFunctions + at)
  }
  return { functions, indirect }
}
