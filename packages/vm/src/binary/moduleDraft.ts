/** A {@link ModuleShape} while it is being read: the same fields, still growing. */
import type {
  ByteRange,
  ElementSegment,
  ExportShape,
  FunctionType,
  GlobalDefinition,
  GlobalShape,
  ImportShape,
  ModuleShape,
  SizeRange,
  TableShape
} from "./moduleShape.ts"

/** The growing module. Every section's reader adds its own part and may read the parts before it. */
export interface ModuleDraft extends ModuleShape {
  readonly types: Array<FunctionType>
  readonly imports: Array<ImportShape>
  readonly functions: Array<number>
  importedFunctions: number
  readonly tables: Array<TableShape>
  importedTables: number
  memory: SizeRange | undefined
  memoryImported: boolean
  readonly globals: Array<GlobalShape>
  importedGlobals: number
  readonly globalDefinitions: Array<GlobalDefinition>
  readonly exports: Array<ExportShape>
  start: number | undefined
  readonly elements: Array<ElementSegment>
  dataCount: number | undefined
  dataSegments: number
  typeSection: ByteRange | undefined
  dataSection: ByteRange | undefined
  readonly bodies: Array<ByteRange>
}

/** A module without any section. */
export const emptyDraft = (bytes: Uint8Array): ModuleDraft => ({
  bytes,
  types: [],
  imports: [],
  functions: [],
  importedFunctions: 0,
  tables: [],
  importedTables: 0,
  memory: undefined,
  memoryImported: false,
  globals: [],
  importedGlobals: 0,
  globalDefinitions: [],
  exports: [],
  start: undefined,
  elements: [],
  dataCount: undefined,
  dataSegments: 0,
  typeSection: undefined,
  dataSection: undefined,
  bodies: []
})
