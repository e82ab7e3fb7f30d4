/** Writes a module anew so that it pays for itself: gas global, refill import, bounded memory, metered bodies. */
import { moduleBounds } from "../binary/moduleBounds.ts"
import { externalKind, type ConstantExpression, type ElementSegment, type ModuleShape, type SizeRange } from "../binary/moduleShape.ts"
import { operator } from "../binary/operators.ts"
import { valueType } from "../binary/valueType.ts"
import { meteredNames, type Build, type MeterOptions } from "./build.ts"
import { ByteWriter } from "./byteWriter.ts"
import { writeConstant } from "./writeConstant.ts"

/** A module and the build of it that is written. */
interface Written {
  readonly module: ModuleShape
  readonly build: Build
}

/** The memory's limits as the engine gets them; refused sizes are reported when the program is linked. */
const memoryRange = (memory: SizeRange, options: MeterOptions): SizeRange => {
  // Execution overwrites any declared maximum, as its reference does; tally honours a smaller one.
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

const writeExpression = (out: ByteWriter, constant: ConstantExpression, { build, module }: Written): void => {
  writeConstant(out, constant, module.bytes, build.functionIndex)
  out.byte(operator.end)
}

const writeImports = (out: ByteWriter, module: ModuleShape, build: Build): void => {
  out.u32(module.imports.length + build.imports.length)
  for (const { from, to } of module.imports) out.copy(module.bytes, from, to)
  for (const { name, type } of build.imports) {
    out.name(meteredNames.module)
    out.name(name)
    out.byte(externalKind.function)
    out.u32(type)
  }
}

const writeFunctions = (out: ByteWriter, build: Build): void => {
  out.u32(build.bodies)
  for (const type of build.functionTypes()) out.u32(type)
}

const writeTables = (out: ByteWriter, module: ModuleShape): void => {
  out.u32(module.tables.length - module.importedTables)
  for (const table of module.tables.slice(module.importedTables)) {
    out.byte(table.element)
    writeRange(out, tableRange(table))
  }
}

const writeGlobals = (out: ByteWriter, written: Written): void => {
  out.u32(written.module.globalDefinitions.length + 1)
  for (const global of written.module.globalDefinitions) {
    out.bytes([global.type, global.mutable ? 1 : 0])
    writeExpression(out, global.initial, written)
  }
  out.bytes([valueType.i64, 1, operator.i64Const, 0, operator.end])
}

const writeExports = (out: ByteWriter, written: Written): void => {
  const kept = written.module.exports.filter(
    ({ kind, name }) =>
      (name === meteredNames.memory && kind === externalKind.memory) || (name === meteredNames.entry && kind === externalKind.function)
  )
  out.u32(kept.length + (written.build.reset === undefined ? 1 : 2))
  for (const { index, kind, name } of kept) {
    out.name(name)
    out.byte(kind)
    out.u32(kind === externalKind.function ? written.build.entryIndex(index) : index)
  }
  out.name(meteredNames.gas)
  out.byte(externalKind.global)
  out.u32(written.module.globals.length)
  if (written.build.reset === undefined) return
  out.name(meteredNames.reset)
  out.byte(externalKind.function)
  out.u32(written.build.reset)
}

const segmentFlags = (segment: ElementSegment): number =>
  (segment.mode === "active" ? 0b010 : segment.mode === "passive" ? 0b001 : 0b011) | (segment.expressions === undefined ? 0 : 0b100)

const writeSegment = (out: ByteWriter, segment: ElementSegment, written: Written): void => {
  out.u32(segmentFlags(segment))
  if (segment.offset !== undefined) {
    out.u32(segment.table)
    writeExpression(out, segment.offset, written)
  }
  if (segment.functions !== undefined) {
    out.byte(0)
    out.u32(segment.functions.length)
    for (const index of segment.functions) out.u32(written.build.functionIndex(index))
  }
  if (segment.expressions !== undefined) {
    out.byte(segment.element)
    out.u32(segment.expressions.length)
    for (const expression of segment.expressions) writeExpression(out, expression, written)
  }
}

const writeElements = (out: ByteWriter, written: Written, exported: ReadonlyArray<number>): void => {
  const { elements } = written.module
  out.u32(elements.length + (exported.length > 0 ? 1 : 0))
  for (const segment of elements) writeSegment(out, segment, written)
  if (exported.length === 0) return
  // An export makes a function fit for `ref.func`. Exports that are left out are declared here instead.
  out.bytes([0b011, 0])
  out.u32(exported.length)
  for (const index of exported) out.u32(written.build.functionIndex(index))
}

/** One build of a module. Refuses by leaving through `refuse`: call it inside of `verdictOf`. */
export const writeModule = (module: ModuleShape, build: Build, options: MeterOptions): Uint8Array<ArrayBuffer> => {
  const written = { module, build }
  const out = new ByteWriter(module.bytes.length * 2 + 256)
  const emit = (id: number, write: () => void): void => {
    out.byte(id)
    const start = out.open()
    write()
    out.close(start)
  }
  const exported = module.exports.filter(({ kind }) => kind === externalKind.function).map(({ index }) => index)
  const { memory } = module

  out.bytes([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00])
  emit(1, () => build.writeTypes(out))
  emit(2, () => writeImports(out, module, build))
  if (build.bodies > 0) emit(3, () => writeFunctions(out, build))
  if (module.tables.length > module.importedTables) emit(4, () => writeTables(out, module))
  if (memory !== undefined && !module.memoryImported) {
    emit(5, () => {
      out.u32(1)
      writeRange(out, memoryRange(memory, options))
    })
  }
  emit(6, () => writeGlobals(out, written))
  emit(7, () => writeExports(out, written))
  if (module.elements.length + exported.length > 0) emit(9, () => writeElements(out, written, exported))
  if (module.dataCount !== undefined) emit(12, () => out.u32(module.dataCount ?? 0))
  if (build.bodies > 0) {
    emit(10, () => {
      out.u32(build.bodies)
      build.writeBodies(out)
    })
  }
  const { dataSection } = module
  if (dataSection !== undefined) emit(11, () => out.copy(module.bytes, dataSection.from, dataSection.to))
  return out.written().slice()
}
