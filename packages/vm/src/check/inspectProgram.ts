/** The features of a module that decide where it runs and whether it runs the same everywhere. */
import { Either } from "effect"
import { BodyReader } from "../binary/bodyReader.ts"
import type { ModuleShape } from "../binary/moduleShape.ts"
import { readModule } from "../binary/readModule.ts"
import { verdictOf } from "../binary/refusal.ts"
import { shortName } from "../binary/shownName.ts"
import { valueType } from "../binary/valueType.ts"
import { ProgramRefused } from "./checkProgram.ts"

/** The facts about a module. Counts are of operators in its functions, reachable or not. */
export interface ProgramFacts {
  /** `module.name` of each import, in order; long names are cut. */
  readonly imports: ReadonlyArray<string>
  /** Pages of 64 KiB; `null` if the module has no memory. */
  readonly memory: { readonly minimumPages: number; readonly maximumPages: number | null } | null
  readonly hasStartSection: boolean
  /** Float operators that may return a NaN with any bits. */
  readonly floatArithmetic: number
  /** Reference operators, typed `select`s, tables of external references. */
  readonly referenceTypes: number
  /** Passive and declared segments, and their operators. */
  readonly passiveSegments: number
  /** `memory.copy` and `memory.fill`. */
  readonly bulkMemory: number
  /** Function types with several results, and blocks whose type is a type index. */
  readonly multiValue: number
}

type Counts = { -readonly [Name in keyof ProgramFacts as ProgramFacts[Name] extends number ? Name : never]: number }

const inRange = (code: number, from: number, to: number): boolean => code >= from && code <= to

/** f32 and f64: ceil to max without copysign, demote, promote. The sign operators keep a NaN's bits. */
const isFloatArithmetic = (code: number): boolean =>
  inRange(code, 0x8d, 0x97) || inRange(code, 0x9b, 0xa5) || code === 0xb6 || code === 0xbb

/** table.get, table.set, ref.*, typed select, table.grow, table.size, table.fill. */
const isReference = (code: number): boolean =>
  code === 0x25 || code === 0x26 || code === 0x1c || inRange(code, 0xd0, 0xd2) || inRange(code, 0xfc0f, 0xfc11)

/** memory.init, data.drop, table.init, elem.drop. */
const isOfSegments = (code: number): boolean => inRange(code, 0xfc08, 0xfc09) || inRange(code, 0xfc0c, 0xfc0d)

const isBlock = (code: number): boolean => inRange(code, 0x02, 0x04)

/** A block's type is empty (0x40), one value type, or an index: only negative numbers have bit 6 set here. */
const hasTypeIndex = (first: number): boolean => (first & 0xc0) !== 0x40

const count = (module: ModuleShape, counts: Counts, at: number): void => {
  const body = module.bodies[at]
  const type = module.types[module.functions[module.importedFunctions + at] ?? -1]
  if (body === undefined) return
  const reader = new BodyReader(module, { multiValue: true })
  reader.begin(body, type?.parameters ?? [])
  while (reader.next()) {
    const code = reader.operator
    if (isFloatArithmetic(code)) counts.floatArithmetic += 1
    else if (isReference(code)) counts.referenceTypes += 1
    else if (isOfSegments(code)) counts.passiveSegments += 1
    else if (inRange(code, 0xfc0a, 0xfc0b)) counts.bulkMemory += 1
    else if (isBlock(code) && hasTypeIndex(module.bytes[reader.from + 1] ?? 0x40)) counts.multiValue += 1
  }
}

const factsOf = (module: ModuleShape): ProgramFacts => {
  const counts: Counts = {
    floatArithmetic: 0,
    referenceTypes: module.tables.filter(({ element }) => element !== valueType.funcref).length,
    passiveSegments: module.elements.filter(({ mode }) => mode !== "active").length,
    bulkMemory: 0,
    multiValue: module.types.filter(({ results }) => results.length > 1).length
  }
  for (const at of module.bodies.keys()) count(module, counts, at)
  const { memory } = module
  return {
    imports: module.imports.map(({ module: from, name }) => `${shortName(from)}.${shortName(name)}`),
    memory: memory === undefined ? null : { minimumPages: memory.minimum, maximumPages: memory.maximum ?? null },
    hasStartSection: module.start !== undefined,
    ...counts
  }
}

/** Inspects a module without compiling it. Refused: bytes that no phase could parse. */
export const inspectProgram = (bytes: Uint8Array): Either.Either<ProgramFacts, ProgramRefused> => {
  const verdict = verdictOf(() => factsOf(readModule(bytes, { multiValue: true })))
  if (verdict.accepted) return Either.right(verdict.value)
  const { kind, ...rest } = verdict.refusal
  return Either.left(new ProgramRefused({ reason: kind, ...rest }))
}
