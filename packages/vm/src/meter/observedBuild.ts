/**
 * The observed build: the exact build, whose functions are all called through wrappers that report their beginning and end to the host.
 * The bodies are those of the exact build, so that the gas is the same.
 */
import type { ModuleShape } from "../binary/moduleShape.ts"
import { operator } from "../binary/operators.ts"
import { valueType } from "../binary/valueType.ts"
import { typeOf } from "./survey/bodySurvey.ts"
import { meteredNames, type Build, type MeterOptions, writeOwnTypes } from "./build.ts"
import { ByteWriter } from "./byteWriter.ts"
import { chargeType, writeCharge, writeExactBody } from "./exactBody.ts"
import { exactPlan } from "./exactBuild.ts"

/** The types of the functions that it imports. */
const addedTypes = [
  { name: meteredNames.refill, type: [0x60, 0, 0] },
  { name: meteredNames.enter, type: [0x60, 2, valueType.i32, valueType.i64, 0] },
  { name: meteredNames.leave, type: [0x60, 1, valueType.i64, 0] }
] as const

/** Indices in the build. */
interface Places {
  readonly enter: number
  readonly leave: number
  readonly gasGlobal: number
}

/** enter(index, gas); call the function with the wrapper's own parameters; leave(gas). */
const writeWrapper = (out: ByteWriter, body: ByteWriter, index: number, target: number, parameters: number, places: Places): void => {
  const on = (code: number, operand: number): void => {
    body.byte(code)
    body.u32(operand)
  }
  body.clear()
  body.u32(0)
  body.byte(operator.i32Const)
  body.signed(index)
  on(operator.globalGet, places.gasGlobal)
  on(operator.call, places.enter)
  for (let at = 0; at < parameters; at += 1) on(operator.localGet, at)
  on(operator.call, target)
  on(operator.globalGet, places.gasGlobal)
  on(operator.call, places.leave)
  body.byte(operator.end)
  out.sized(body)
}

/** The observed build of a module whose bodies were surveyed. */
export const observedBuild = (module: ModuleShape, options: MeterOptions): Build => {
  const { functions, importedFunctions, types } = module
  const firstWrapper = importedFunctions + addedTypes.length
  const functionIndex = (original: number): number => firstWrapper + original
  const charge = firstWrapper + functions.length + module.bodies.length
  const plan = { ...exactPlan(module, options), charge, functionIndex }
  const places: Places = { enter: importedFunctions + 1, leave: importedFunctions + 2, gasGlobal: plan.gasGlobal }
  /** The function itself: an imported one, or a metered body behind the wrappers. */
  const behind = (original: number): number =>
    original < importedFunctions ? original : firstWrapper + functions.length + original - importedFunctions
  return {
    functionIndex,
    entryIndex: functionIndex,
    writeTypes: (out) => {
      out.u32(types.length + addedTypes.length + 1)
      writeOwnTypes(out, module)
      for (const { type } of addedTypes) out.bytes(type)
      out.bytes(chargeType)
    },
    imports: addedTypes.map(({ name }, at) => ({ name, type: types.length + at })),
    functionTypes: () => [...functions, ...functions.slice(importedFunctions), types.length + addedTypes.length],
    bodies: functions.length + module.bodies.length + 1,
    reset: undefined,
    writeBodies: (out) => {
      const scratch = { operators: new ByteWriter(4_096), body: new ByteWriter(4_096) }
      for (let index = 0; index < functions.length; index += 1) {
        writeWrapper(out, scratch.body, index, behind(index), typeOf(module, index).parameters.length, places)
      }
      for (const [at, range] of module.bodies.entries()) writeExactBody(plan, range, typeOf(module, importedFunctions + at), scratch, out)
      writeCharge(plan, scratch.body, out)
    }
  }
}
