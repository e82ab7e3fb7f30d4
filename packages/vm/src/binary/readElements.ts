/** Reads the element section in all eight encodings of its segments. */
import type { ByteReader } from "./byteReader.ts"
import { moduleBounds } from "./moduleBounds.ts"
import type { ModuleDraft } from "./moduleDraft.ts"
import type { ConstantExpression, ElementSegment } from "./moduleShape.ts"
import { readConstant } from "./readConstant.ts"
import { refuse } from "./refusal.ts"
import { readReferenceType, valueType, type ReferenceType } from "./valueType.ts"

/** The flag bits of a segment: not active; explicit table (or declared, if not active); written as expressions. */
const flag = { notActive: 1, explicit: 2, expressions: 4 } as const

const readKind = (reader: ByteReader, flags: number): ReferenceType => {
  if ((flags & (flag.notActive | flag.explicit)) === 0) return valueType.funcref
  if ((flags & flag.expressions) !== 0) return readReferenceType(reader)
  return reader.byte() === 0 ? valueType.funcref : refuse("malformed", "malformed element kind", reader.at - 1)
}

const readFunctions = (reader: ByteReader, module: ModuleDraft, most: number): ReadonlyArray<number> => {
  const functions: Array<number> = []
  for (let left = reader.count("elements", most); left > 0; left -= 1) {
    const index = reader.u32()
    if (index >= module.functions.length) refuse("invalid", `unknown function ${index}`, reader.at)
    functions.push(index)
  }
  return functions
}

const readExpressions = (
  reader: ByteReader,
  module: ModuleDraft,
  element: ReferenceType,
  most: number
): ReadonlyArray<ConstantExpression> => {
  const expressions: Array<ConstantExpression> = []
  for (let left = reader.count("elements", most); left > 0; left -= 1) {
    expressions.push(readConstant(reader, module, element))
  }
  return expressions
}

const readSegment = (reader: ByteReader, module: ModuleDraft, most: number): ElementSegment => {
  const at = reader.at
  const flags = reader.u32()
  if (flags > 7) refuse("malformed", "malformed elements segment kind", at)
  const active = (flags & flag.notActive) === 0
  const explicit = (flags & flag.explicit) !== 0
  const table = active && explicit ? reader.u32() : 0
  const offset = active ? readConstant(reader, module, valueType.i32) : undefined
  const element = readKind(reader, flags)
  if (active && module.tables[table]?.element !== element) {
    refuse("invalid", module.tables[table] === undefined ? `unknown table ${table}` : "type mismatch of table and segment", at)
  }
  const expressions = (flags & flag.expressions) === 0 ? undefined : readExpressions(reader, module, element, most)
  return {
    mode: active ? "active" : explicit ? "declared" : "passive",
    table,
    offset,
    element,
    functions: expressions === undefined ? readFunctions(reader, module, most) : undefined,
    expressions
  }
}

/** Reads the element section; the total entries of all segments are bounded. */
export const readElementSection = (reader: ByteReader, module: ModuleDraft): void => {
  let room = moduleBounds.elements
  for (let left = reader.count("element segments", moduleBounds.elementSegments); left > 0; left -= 1) {
    const segment = readSegment(reader, module, room)
    room -= (segment.functions ?? segment.expressions ?? []).length
    module.elements.push(segment)
  }
}
