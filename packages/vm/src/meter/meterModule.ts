/** Rewrites a module so that it pays for itself: gas global, refill import, bounded memory, metered bodies. */
import type { Phase } from "@sibyl/core"
import { CompileCost } from "../binary/compileCost.ts"
import { moduleBounds } from "../binary/moduleBounds.ts"
import {
  externalKind,
  type ConstantExpression,
  type ElementSegment,
  type FeatureRules,
  type FunctionType,
  type ModuleShape,
  type SizeRange
} from "../binary/moduleShape.ts"
import { operator } from "../binary/operators.ts"
import { referableFunctions } from "../binary/referableFunctions.ts"
import { refuse } from "../binary/refusal.ts"
import { valueType } from "../binary/valueType.ts"
import { ByteWriter } from "./byteWriter.ts"
import { meterBody, type MeterPlan } from "./meterBody.ts"

/** The names under which a metered module meets its host. The program's own exports are left out but for two. */
export const meteredNames = {
  module: "sibyl",
  refill: "refill",
  gas: "gas",
  memory: "memory",
  entry: "_start"
} as const

/** How to meter. */
export interface MeterOptions {
  readonly phase: Phase
  readonly rules: FeatureRules
  /** Pages that no memory may exceed. */
  readonly memoryPages: number
}

/** The memory's limits as the engine gets them; refused sizes are reported when the program is linked. */
const memoryRange = (memory: SizeRange, options: MeterOptions): SizeRange => {
  // Execution overwrites any declared maximum (vm-abi, section 9.1); tally honours a smaller one.
  const wanted = options.phase === "exec" ? options.memoryPages : Math.min(memory.maximum ?? Infinity, options.memoryPages)
  return { minimum: memory.minimum, maximum: Math.max(wanted, memory.minimum) }
}

const tableRange = (table: SizeRange): SizeRange => ({
  minimum: table.minimum,
  maximum: Math.min(table.maximum ?? Infinity, moduleBounds.tableElements)
})

const writeRange = (out: ByteWriter, range: SizeRange): void => {
  out.byte(range.maximum === undefined ? 0 : 1)
  out.u32(range.minimum)
  if (range.maximum !== undefined) out.u32(range.maximum)
}

const writeConstant = (out: ByteWriter, constant: ConstantExpression, plan: MeterPlan): void => {
  if (constant.operator === operator.refFunc) {
    out.byte(operator.refFunc)
    out.u32(plan.functionIndex(constant.index))
  } else out.copy(plan.module.bytes, constant.from, constant.to)
  out.byte(operator.end)
}

const writeTypes = (out: ByteWriter, module: ModuleShape): void => {
  const { types, typeSection } = module
  out.u32(types.length + 1)
  if (typeSection !== undefined) {
    // Behind the count, whose own length is that of the module's encoding.
    let from = typeSection.from
    while ((module.bytes[from] ?? 0) >= 0x80) from += 1
    out.copy(module.bytes, from + 1, typeSection.to)
  }
  out.bytes([0x60, 0, 0])
}

const writeImports = (out: ByteWriter, module: ModuleShape): void => {
  const refillType = module.types.length
  out.u32(module.imports.length + 1)
  for (const { from, to } of module.imports) out.copy(module.bytes, from, to)
  out.name(meteredNames.module)
  out.name(meteredNames.refill)
  out.byte(externalKind.function)
  out.u32(refillType)
}

const writeFunctions = (out: ByteWriter, module: ModuleShape): void => {
  out.u32(module.functions.length - module.importedFunctions)
  for (const type of module.functions.slice(module.importedFunctions)) out.u32(type)
}

const writeTables = (out: ByteWriter, module: ModuleShape): void => {
  out.u32(module.tables.length - module.importedTables)
  for (const table of module.tables.slice(module.importedTables)) {
    out.byte(table.element)
    writeRange(out, tableRange(table))
  }
}

const writeGlobals = (out: ByteWriter, plan: MeterPlan): void => {
  out.u32(plan.module.globalDefinitions.length + 1)
  for (const global of plan.module.globalDefinitions) {
    out.bytes([global.type, global.mutable ? 1 : 0])
    writeConstant(out, global.initial, plan)
  }
  out.bytes([valueType.i64, 1, operator.i64Const, 0, operator.end])
}

const writeExports = (out: ByteWriter, plan: MeterPlan): void => {
  const kept = plan.module.exports.filter(
    ({ kind, name }) =>
      (name === meteredNames.memory && kind === externalKind.memory) || (name === meteredNames.entry && kind === externalKind.function)
  )
  out.u32(kept.length + 1)
  for (const { index, kind, name } of kept) {
    out.name(name)
    out.byte(kind)
    out.u32(kind === externalKind.function ? plan.functionIndex(index) : index)
  }
  out.name(meteredNames.gas)
  out.byte(externalKind.global)
  out.u32(plan.gasGlobal)
}

const segmentFlags = (segment: ElementSegment): number =>
  (segment.mode === "active" ? 0b010 : segment.mode === "passive" ? 0b001 : 0b011) | (segment.expressions === undefined ? 0 : 0b100)

const writeSegment = (out: ByteWriter, segment: ElementSegment, plan: MeterPlan): void => {
  out.u32(segmentFlags(segment))
  if (segment.offset !== undefined) {
    out.u32(segment.table)
    writeConstant(out, segment.offset, plan)
  }
  if (segment.functions !== undefined) {
    out.byte(0)
    out.u32(segment.functions.length)
    for (const index of segment.functions) out.u32(plan.functionIndex(index))
  }
  if (segment.expressions !== undefined) {
    out.byte(segment.element)
    out.u32(segment.expressions.length)
    for (const expression of segment.expressions) writeConstant(out, expression, plan)
  }
}

const writeElements = (out: ByteWriter, plan: MeterPlan, exported: ReadonlyArray<number>): void => {
  const { elements } = plan.module
  out.u32(elements.length + (exported.length > 0 ? 1 : 0))
  for (const segment of elements) writeSegment(out, segment, plan)
  if (exported.length === 0) return
  // An export makes a function fit for `ref.func`. Exports that are left out are declared here instead.
  out.bytes([0b011, 0])
  out.u32(exported.length)
  for (const index of exported) out.u32(plan.functionIndex(index))
}

const noType: FunctionType = { parameters: [], results: [] }

const writeCode = (out: ByteWriter, plan: MeterPlan): void => {
  const { module } = plan
  const scratch = { operators: new ByteWriter(4_096), body: new ByteWriter(4_096) }
  let locals = 0
  out.u32(module.bodies.length)
  for (const [at, range] of module.bodies.entries()) {
    const type = module.types[module.functions[module.importedFunctions + at] ?? 0]
    locals += meterBody(plan, range, type ?? noType, scratch, out)
    if (locals > moduleBounds.locals) refuse("bound", `too many locals: more than ${moduleBounds.locals}`, range.from)
  }
}

const planOf = (module: ModuleShape, options: MeterOptions): MeterPlan => ({
  module,
  rules: options.rules,
  phase: options.phase,
  gasGlobal: module.globals.length,
  refill: module.importedFunctions,
  functionIndex: (original) => (original < module.importedFunctions ? original : original + 1),
  referable: referableFunctions(module),
  cost: new CompileCost()
})

/** The metered module. Refuses by leaving through `refuse`: call it inside of `verdictOf`. */
export const meterModule = (module: ModuleShape, options: MeterOptions): Uint8Array<ArrayBuffer> => {
  const plan = planOf(module, options)
  const out = new ByteWriter(module.bytes.length * 4 + 256)
  const section = new ByteWriter(module.bytes.length + 256)
  const emit = (id: number, write: () => void): void => {
    section.clear()
    write()
    out.byte(id)
    out.sized(section)
  }
  const exported = module.exports.filter(({ kind }) => kind === externalKind.function).map(({ index }) => index)
  const { memory, start } = module

  out.bytes([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00])
  emit(1, () => writeTypes(section, module))
  emit(2, () => writeImports(section, module))
  if (module.functions.length > module.importedFunctions) emit(3, () => writeFunctions(section, module))
  if (module.tables.length > module.importedTables) emit(4, () => writeTables(section, module))
  if (memory !== undefined && !module.memoryImported) {
    emit(5, () => {
      section.u32(1)
      writeRange(section, memoryRange(memory, options))
    })
  }
  emit(6, () => writeGlobals(section, plan))
  emit(7, () => writeExports(section, plan))
  if (start !== undefined) emit(8, () => section.u32(plan.functionIndex(start)))
  if (module.elements.length + exported.length > 0) emit(9, () => writeElements(section, plan, exported))
  if (module.dataCount !== undefined) emit(12, () => section.u32(module.dataCount ?? 0))
  if (module.bodies.length > 0) emit(10, () => writeCode(section, plan))
  const { dataSection } = module
  if (dataSection !== undefined) emit(11, () => section.copy(module.bytes, dataSection.from, dataSection.to))
  return out.written().slice()
}
