/** One observed pass over a whole tape: the program runs again as it did, and its calls are recorded. */
import type { ModuleShape } from "../binary/moduleShape.ts"
import { pass, type PassInput } from "../pass/pass.ts"
import { prepareProgram, readProgram, type ProgramCode } from "../pass/prepare.ts"
import { functionNames } from "./functionNames.ts"
import type { CallNode, GasRow } from "./gasProfile.ts"
import { deeperCalls, GasRecorder, type TreeBounds } from "./gasRecorder.ts"

/** One observed pass to be run. */
export interface ProfileOrder {
  readonly program: ProgramCode
  /** A build of the same sources whose name section names the functions; left out: the program. */
  readonly symbols?: Uint8Array
  /** Its tape is that of a phase that has ended. */
  readonly input: PassInput
  readonly bounds?: TreeBounds
}

/** The profile, or that the engine's stack did not suffice for the program and its observer. */
export type ProfileResult =
  | { readonly kind: "profiled"; readonly gasUsed: bigint; readonly rows: ReadonlyArray<GasRow>; readonly tree: ReadonlyArray<CallNode> }
  | { readonly kind: "stackOverflow" }

const startName = "(start)"
const deeperName = "(deeper calls)"

const dearestFirst = (left: GasRow, right: GasRow): number => (left.self < right.self ? 1 : left.self > right.self ? -1 : 0)

const rowsOf = (recorder: GasRecorder, names: ReadonlyArray<string>, importedFunctions: number): ReadonlyArray<GasRow> => {
  const { start } = recorder
  const rows: Array<GasRow> = [{ name: startName, kind: "start", self: start, total: start, calls: 1 }]
  for (const [index, { calls, self, total }] of recorder.functions) {
    rows.push({ name: names[index] ?? "", kind: index < importedFunctions ? "host" : "function", self, total, calls })
  }
  return rows.toSorted(dearestFirst)
}

const treeOf = (recorder: GasRecorder, names: ReadonlyArray<string>): ReadonlyArray<CallNode> => [
  { name: startName, parent: -1, self: recorder.start },
  ...recorder.tree.map(({ index, parent, self }) => ({
    name: index === deeperCalls ? deeperName : (names[index] ?? ""),
    // Behind the start, which is the first.
    parent: parent < 0 ? parent : parent + 1,
    self
  }))
]

const namesOf = (
  program: ProgramCode,
  symbols: Uint8Array | undefined
): { names: ReadonlyArray<string>; module: ModuleShape | undefined } => {
  const module = readProgram(program)
  return module.accepted ? { names: functionNames(module.value, symbols), module: module.value } : { names: [], module: undefined }
}

/** Runs it in this thread. An exception is an internal defect. */
export const profilePass = ({ bounds, input, program, symbols }: ProfileOrder): ProfileResult => {
  const observer = new GasRecorder(bounds)
  const preparation = prepareProgram(program.bytes, program.phase, program.memoryPages)
  const result = pass(preparation, input, { observer })
  if (result.kind === "stackOverflow") return result
  if (result.kind === "needs") throw new Error("the tape of an ended phase does not suffice")
  const { gasUsed } = result.ending
  observer.end(gasUsed)
  const { module, names } = namesOf(program, symbols)
  return {
    kind: "profiled",
    gasUsed,
    rows: rowsOf(observer, names, module?.importedFunctions ?? 0),
    tree: treeOf(observer, names)
  }
}
