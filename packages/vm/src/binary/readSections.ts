/** Reads every section of a module except the element section, and checks bounds, indices and features on the way. */
import type { ByteReader } from "./byteReader.ts"
import { addressablePages, moduleBounds } from "./moduleBounds.ts"
import type { ModuleDraft } from "./moduleDraft.ts"
import { externalKind, type ExternalKind, type FeatureRules, type GlobalShape, type SizeRange, type TableShape } from "./moduleShape.ts"
import { readConstant } from "./readConstant.ts"
import { refuse } from "./refusal.ts"
import { shownName } from "./shownName.ts"
import { readReferenceType, readValueType, valueType, type ValueType } from "./valueType.ts"

const readValueTypes = (reader: ByteReader, what: string, most: number): ReadonlyArray<ValueType> => {
  const types: Array<ValueType> = []
  for (let left = reader.count(what, most); left > 0; left -= 1) types.push(readValueType(reader))
  return types
}

/** The type section: function types only. */
export const readTypeSection = (reader: ByteReader, module: ModuleDraft, rules: FeatureRules): void => {
  module.typeSection = { from: reader.at, to: reader.end }
  for (let left = reader.count("types", moduleBounds.types); left > 0; left -= 1) {
    const at = reader.at
    const form = reader.byte()
    if (form === 0x4e || form === 0x4f || form === 0x50 || form === 0x5e || form === 0x5f) {
      refuse("feature", "garbage collection is not supported", at)
    }
    if (form !== 0x60) refuse("malformed", `malformed type form 0x${form.toString(16)}`, at)
    const parameters = readValueTypes(reader, "parameters", moduleBounds.parameters)
    const results = readValueTypes(reader, "results", moduleBounds.results)
    if (results.length > 1 && !rules.multiValue) refuse("feature", "multi-value is not supported in this phase", at)
    module.types.push({ parameters, results })
  }
}

const readSizeRange = (reader: ByteReader): SizeRange => {
  const at = reader.at
  const flags = reader.byte()
  if (flags === 2 || flags === 3) refuse("feature", "threads are not supported", at)
  if (flags >= 4 && flags <= 7) refuse("feature", "64-bit memories and tables are not supported", at)
  if (flags > 7) refuse("malformed", "malformed limits flags", at)
  const minimum = reader.u32()
  const maximum = flags === 1 ? reader.u32() : undefined
  if (maximum !== undefined && maximum < minimum) {
    refuse("invalid", "size minimum must not be greater than maximum", at)
  }
  return { minimum, maximum }
}

const readTable = (reader: ByteReader): TableShape => {
  if (reader.peek() === 0x40) refuse("feature", "tables with initial values are not supported", reader.at)
  const element = readReferenceType(reader)
  const at = reader.at
  const range = readSizeRange(reader)
  if (range.minimum > moduleBounds.tableElements) {
    refuse("bound", `too many table elements: ${range.minimum}, at most ${moduleBounds.tableElements}`, at)
  }
  return { element, ...range }
}

const addMemory = (reader: ByteReader, module: ModuleDraft): void => {
  const at = reader.at
  const range = readSizeRange(reader)
  if (Math.max(range.minimum, range.maximum ?? 0) > addressablePages) {
    refuse("invalid", "memory size must be at most 65536 pages (4GiB)", at)
  }
  if (module.memory !== undefined) refuse("feature", "multiple memories are not supported", at)
  module.memory = range
}

const readGlobalShape = (reader: ByteReader): GlobalShape => {
  const type = readValueType(reader)
  const at = reader.at
  const mutability = reader.byte()
  if (mutability > 1) refuse("malformed", "malformed mutability", at)
  return { type, mutable: mutability === 1 }
}

const readTypeIndex = (reader: ByteReader, module: ModuleDraft): number => {
  const at = reader.at
  const index = reader.u32()
  return index < module.types.length ? index : refuse("invalid", `unknown type ${index}`, at)
}

const readExternalKind = (reader: ByteReader): ExternalKind => {
  const at = reader.at
  const kind = reader.byte()
  if (kind === 4) return refuse("feature", "exception handling is not supported", at)
  return kind <= 3 ? (kind as ExternalKind) : refuse("malformed", "malformed import or export kind", at)
}

const readImported = (reader: ByteReader, module: ModuleDraft, kind: ExternalKind): number | undefined => {
  switch (kind) {
    case externalKind.function: {
      const index = readTypeIndex(reader, module)
      module.functions.push(index)
      module.importedFunctions += 1
      return index
    }
    case externalKind.table:
      module.tables.push(readTable(reader))
      module.importedTables += 1
      return undefined
    case externalKind.memory:
      addMemory(reader, module)
      module.memoryImported = true
      return undefined
    case externalKind.global:
      module.globals.push(readGlobalShape(reader))
      module.importedGlobals += 1
      return undefined
  }
}

/** The import section. Whether the imports are available is checked when the program is linked. */
export const readImportSection = (reader: ByteReader, module: ModuleDraft): void => {
  for (let left = reader.count("imports", moduleBounds.imports); left > 0; left -= 1) {
    const from = reader.at
    const importedModule = reader.name()
    const name = reader.name()
    const kind = readExternalKind(reader)
    const typeIndex = readImported(reader, module, kind)
    module.imports.push({ module: importedModule, name, kind, typeIndex, from, to: reader.at })
  }
}

/** The function section: the type of each function that has a body. */
export const readFunctionSection = (reader: ByteReader, module: ModuleDraft): void => {
  for (let left = reader.count("functions", moduleBounds.functions); left > 0; left -= 1) {
    module.functions.push(readTypeIndex(reader, module))
  }
}

/** The table section. */
export const readTableSection = (reader: ByteReader, module: ModuleDraft): void => {
  for (let left = reader.count("tables", moduleBounds.tables); left > 0; left -= 1) module.tables.push(readTable(reader))
  if (module.tables.length > moduleBounds.tables) refuse("bound", "too many tables", reader.at)
}

/** The memory section. Its size is checked against the service's limit when the program is linked. */
export const readMemorySection = (reader: ByteReader, module: ModuleDraft): void => {
  for (let left = reader.count("memories", addressablePages); left > 0; left -= 1) addMemory(reader, module)
}

/** The global section. */
export const readGlobalSection = (reader: ByteReader, module: ModuleDraft): void => {
  for (let left = reader.count("globals", moduleBounds.globals); left > 0; left -= 1) {
    const shape = readGlobalShape(reader)
    module.globalDefinitions.push({ initial: readConstant(reader, module, shape.type), ...shape })
    module.globals.push(shape)
  }
}

const sizeOfSpace = (module: ModuleDraft, kind: ExternalKind): number => {
  switch (kind) {
    case externalKind.function:
      return module.functions.length
    case externalKind.table:
      return module.tables.length
    case externalKind.memory:
      return module.memory === undefined ? 0 : 1
    case externalKind.global:
      return module.globals.length
  }
}

/** The export section: names are distinct, indices exist. */
export const readExportSection = (reader: ByteReader, module: ModuleDraft): void => {
  const names = new Set<string>()
  for (let left = reader.count("exports", moduleBounds.exports); left > 0; left -= 1) {
    const at = reader.at
    const name = reader.name()
    const kind = readExternalKind(reader)
    const index = reader.u32()
    if (names.has(name)) refuse("invalid", `duplicate export name ${shownName(name)}`, at)
    if (index >= sizeOfSpace(module, kind)) refuse("invalid", `export of an unknown index ${index}`, at)
    names.add(name)
    module.exports.push({ name, kind, index })
  }
}

/** The start section. */
export const readStartSection = (reader: ByteReader, module: ModuleDraft): void => {
  const at = reader.at
  const index = reader.u32()
  const type = module.types[module.functions[index] ?? -1]
  if (type === undefined) refuse("invalid", `unknown function ${index}`, at)
  else if (type.parameters.length + type.results.length > 0) refuse("invalid", "start function has the wrong type", at)
  module.start = index
}

/** The data count section. */
export const readDataCountSection = (reader: ByteReader, module: ModuleDraft): void => {
  const at = reader.at
  const count = reader.u32()
  if (count > moduleBounds.dataSegments) refuse("bound", `too many data segments: ${count}`, at)
  module.dataCount = count
}

/** The code section: the position of each body. Bodies are read while they are metered. */
export const readCodeSection = (reader: ByteReader, module: ModuleDraft): void => {
  for (let left = reader.count("functions", moduleBounds.functions); left > 0; left -= 1) {
    const body = reader.part(reader.u32())
    module.bodies.push({ from: body.at, to: body.end })
  }
}

/** The data section. Segments are copied unchanged. */
export const readDataSection = (reader: ByteReader, module: ModuleDraft): void => {
  module.dataSection = { from: reader.at, to: reader.end }
  for (let left = reader.count("data segments", moduleBounds.dataSegments); left > 0; left -= 1) {
    const at = reader.at
    const flags = reader.u32()
    if (flags > 2) refuse("malformed", "malformed data segment flag", at)
    const memory = flags === 2 ? reader.u32() : 0
    if (flags !== 1) {
      if (memory !== 0 || module.memory === undefined) refuse("invalid", `unknown memory ${memory}`, at)
      readConstant(reader, module, valueType.i32)
    }
    reader.skip(reader.u32())
    module.dataSegments += 1
  }
}
