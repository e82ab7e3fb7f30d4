/**
 * The fast build: every function of the program takes the gas as its last parameter and gives it back as its last
 * result. Imported functions are reached through wrappers that write it to the global, where the host sees it.
 */
import { externalKind, type FunctionType, type ModuleShape } from "../binary/moduleShape.ts"
import { operator } from "../binary/operators.ts"
import { typeOf, type ModuleSurvey } from "./survey/bodySurvey.ts"
import { meteredNames, type Build, type MeterOptions } from "./build.ts"
import type { ByteWriter } from "./byteWriter.ts"
import { FastBody } from "./fastBody.ts"
import type { FastPlan } from "./fastPlan.ts"
import { FastTypes } from "./fastTypes.ts"
import { gasObservers } from "./gasObservers.ts"
import { gasPerUnit, operatorPrices } from "./survey/prices.ts"
import { writeConstant } from "./writeConstant.ts"

/** A function without locals of its own: its operators, with their length. */
const writeShortBody = (out: ByteWriter, write: (body: ByteWriter) => void): void => {
  const start = out.open()
  out.u32(0)
  write(out)
  out.byte(operator.end)
  out.close(start)
}

const writeParameters = (out: ByteWriter, count: number): void => {
  for (let index = 0; index < count; index += 1) {
    out.indexed(operator.localGet, index)
  }
}

/** The functions that the build adds: wrappers of imported ones, the refill for code, the entry for the host. */
const writeAdded = {
  /** global = gas; call the host; give back the global. */
  wrapper: (out: ByteWriter, imported: number, type: FunctionType, gas: number): void =>
    writeShortBody(out, (body) => {
      const { length } = type.parameters
      body.indexed(operator.localGet, length)
      body.indexed(operator.globalSet, gas)
      writeParameters(body, length)
      body.indexed(operator.call, imported)
      body.indexed(operator.globalGet, gas)
    }),
  more: (out: ByteWriter, refill: number, gas: number): void =>
    writeShortBody(out, (body) => {
      body.indexed(operator.localGet, 0)
      body.indexed(operator.globalSet, gas)
      body.indexed(operator.call, refill)
      body.indexed(operator.globalGet, gas)
    }),
  reset: (out: ByteWriter, module: ModuleShape, functionIndex: (original: number) => number): void =>
    writeShortBody(out, (body) => {
      for (const [at, { initial, mutable }] of module.globalDefinitions.entries()) {
        if (!mutable) continue
        writeConstant(body, initial, module.bytes, functionIndex)
        body.indexed(operator.globalSet, module.importedGlobals + at)
      }
    }),
  /** Calls the program with the global's gas, and writes back what it leaves. */
  entry: (out: ByteWriter, entry: number, type: FunctionType, gas: number): void =>
    writeShortBody(out, (body) => {
      writeParameters(body, type.parameters.length)
      body.indexed(operator.globalGet, gas)
      body.indexed(operator.call, entry)
      body.indexed(operator.globalSet, gas)
    })
} as const

/** The fast build of a module. */
export const fastBuild = (module: ModuleShape, survey: ModuleSurvey, { phase, rules }: MeterOptions): Build => {
  const { functions, importedFunctions } = module
  const types = new FastTypes(module)
  const gas = module.globals.length
  const refill = importedFunctions
  const functionIndex = (original: number): number => original + importedFunctions + 1
  const more = functionIndex(functions.length)
  const entry = module.exports.find(({ kind, name }) => kind === externalKind.function && name === meteredNames.entry)?.index
  const entries = entry === undefined ? 0 : 1
  const resets = module.globalDefinitions.some(({ mutable }) => mutable) ? 1 : 0
  const plan: FastPlan = {
    module,
    rules,
    phase,
    labels: survey.labels.read(),
    stops: survey.stops.read(),
    observers: gasObservers(module, survey),
    refill,
    more,
    functionIndex,
    typeIndex: (original) => types.withGas(original),
    writeBlockType: (out, type) => types.writeBlock(out, type),
    mayRecur: ({ callsBodies, callsIndirectly }) => callsIndirectly || callsBodies,
    longTableIndexUnits: operatorPrices[phase].longTableIndexByte / gasPerUnit[phase]
  }
  return {
    functionIndex,
    entryIndex: () => more + 1,
    writeTypes: (out) => types.write(out),
    imports: [{ name: meteredNames.refill, type: types.refill }],
    functionTypes: () => [
      ...functions.map((type) => types.withGas(type)),
      types.more,
      ...(entry === undefined ? [] : [functions[entry] ?? 0]),
      ...(resets === 0 ? [] : [types.refill])
    ],
    bodies: functions.length + 1 + entries + resets,
    reset: resets === 0 ? undefined : more + 1 + entries,
    writeBodies: (out) => {
      const body = new FastBody(plan, out)
      for (let index = 0; index < importedFunctions; index += 1) writeAdded.wrapper(out, index, typeOf(module, index), gas)
      for (const [at, range] of module.bodies.entries()) {
        const noted = survey.bodies[at]
        if (noted !== undefined) body.write(range, noted, typeOf(module, importedFunctions + at))
      }
      writeAdded.more(out, refill, gas)
      if (entry !== undefined) writeAdded.entry(out, functionIndex(entry), typeOf(module, entry), gas)
      if (resets > 0) writeAdded.reset(out, module, functionIndex)
    }
  }
}
