/** What the fast build decides for a whole module before its bodies are written. */
import type { Phase } from "@sibyl/core"
import type { FeatureRules, FunctionType, ModuleShape } from "../binary/moduleShape.ts"
import type { ByteWriter } from "./byteWriter.ts"
import type { GasObservers } from "./gasObservers.ts"
import type { BodySurvey } from "./survey/bodySurvey.ts"
import type { LabelReader } from "./survey/labelNotes.ts"
import type { StopReader } from "./survey/operatorStops.ts"

/** What the rewriter of bodies needs to know of the module. */
export interface FastPlan {
  readonly module: ModuleShape
  readonly rules: FeatureRules
  readonly phase: Phase
  readonly labels: LabelReader
  readonly stops: StopReader
  readonly observers: GasObservers
  /** The imported function that refills the slice, or ends the run. */
  readonly refill: number
  /** The function that takes what is left of a slice and gives a full one. */
  readonly more: number
  readonly functionIndex: (original: number) => number
  /** The type that takes and gives the gas beside what the program's own type does. */
  readonly typeIndex: (original: number) => number
  /** Writes the type of a block that gives what a function does. */
  readonly writeBlockType: (out: ByteWriter, type: FunctionType) => void
  /** Whether a function is part of a cycle of calls: then each call has to check the gas. */
  readonly mayRecur: (survey: BodySurvey) => boolean
  /** What each byte of the table index of `call_indirect` beyond the first costs. */
  readonly longTableIndexUnits: number
}
