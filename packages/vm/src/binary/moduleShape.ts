/** The structure of a module before its code is read: types, index spaces, limits, and where the rest is. */
import type { ReferenceType, ValueType } from "./valueType.ts"

/** Parameter and result types. */
export interface FunctionType {
  readonly parameters: ReadonlyArray<ValueType>
  readonly results: ReadonlyArray<ValueType>
}

/** Limits in entries or pages: the minimum, and the maximum if declared. */
export interface SizeRange {
  readonly minimum: number
  readonly maximum: number | undefined
}

/** A table, with its limits in entries. */
export interface TableShape extends SizeRange {
  readonly element: ReferenceType
}

/** A global's type. */
export interface GlobalShape {
  readonly type: ValueType
  readonly mutable: boolean
}

/** The kinds of imports and exports, as their bytes. */
export const externalKind = { function: 0, table: 1, memory: 2, global: 3 } as const

/** One of {@link externalKind}. */
export type ExternalKind = (typeof externalKind)[keyof typeof externalKind]

/** One import. `typeIndex` is a function's, undefined for other kinds. */
export interface ImportShape {
  readonly module: string
  readonly name: string
  readonly kind: ExternalKind
  readonly typeIndex: number | undefined
  /** The entry's bytes, from the module's start: [from, to). */
  readonly from: number
  readonly to: number
}

/** One export. */
export interface ExportShape {
  readonly name: string
  readonly kind: ExternalKind
  readonly index: number
}

/**
 * A constant expression: one operator, without its `end`. `from` and `to` are its bytes; `operator` is its code and `index` the function or
 * global that it names (0 for other operators).
 */
export interface ConstantExpression {
  readonly operator: number
  readonly index: number
  readonly from: number
  readonly to: number
}

/** A global that the module defines. */
export interface GlobalDefinition extends GlobalShape {
  readonly initial: ConstantExpression
}

/** One element segment. `entries` are function indices, or expressions if the segment is written with them. */
export interface ElementSegment {
  readonly mode: "active" | "passive" | "declared"
  readonly table: number
  readonly offset: ConstantExpression | undefined
  readonly element: ReferenceType
  readonly functions: ReadonlyArray<number> | undefined
  readonly expressions: ReadonlyArray<ConstantExpression> | undefined
}

/** A range of bytes of the module: [from, to). */
export interface ByteRange {
  readonly from: number
  readonly to: number
}

/** A module, parsed and checked except for its function bodies. */
export interface ModuleShape {
  readonly bytes: Uint8Array
  readonly types: ReadonlyArray<FunctionType>
  readonly imports: ReadonlyArray<ImportShape>
  /** The type index of every function, imported ones first. */
  readonly functions: ReadonlyArray<number>
  readonly importedFunctions: number
  readonly tables: ReadonlyArray<TableShape>
  readonly importedTables: number
  readonly memory: SizeRange | undefined
  readonly memoryImported: boolean
  readonly globals: ReadonlyArray<GlobalShape>
  readonly importedGlobals: number
  readonly globalDefinitions: ReadonlyArray<GlobalDefinition>
  readonly exports: ReadonlyArray<ExportShape>
  readonly start: number | undefined
  readonly elements: ReadonlyArray<ElementSegment>
  /** The data count section's value; undefined without that section. */
  readonly dataCount: number | undefined
  readonly dataSegments: number
  /** The contents of the type and data sections, copied unchanged. */
  readonly typeSection: ByteRange | undefined
  readonly dataSection: ByteRange | undefined
  readonly bodies: ReadonlyArray<ByteRange>
}

/** Which features a phase supports beyond the common ones (docs/PROGRAMS.md; decision D25). */
export interface FeatureRules {
  /** Several results, and blocks whose type is a type index. */
  readonly multiValue: boolean
}
