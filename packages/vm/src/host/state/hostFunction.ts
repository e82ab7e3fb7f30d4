/** The shape of a host function: its name and types, and how it is bound to a pass. */
import type { Phase } from "@sibyl/core"
import { valueType, type ValueType } from "../../binary/valueType.ts"
import type { HostState } from "./hostState.ts"

/** Numbers for i32, bigints for i64, as the engine passes them. */
export type HostCallable = (...values: Array<never>) => number | void

/** One function that programs may import. */
export interface HostFunction {
  /** `seda_v1`, or any of the namespaces of WASI in the phase. */
  readonly family: "seda_v1" | "wasi"
  readonly name: string
  readonly parameters: ReadonlyArray<ValueType>
  readonly results: ReadonlyArray<ValueType>
  /** The phases in which it can be linked. */
  readonly phases: ReadonlyArray<Phase>
  readonly bind: (state: HostState) => HostCallable
}

/** Shorthand for signatures. */
export const { i32, i64 } = valueType

/** Both phases. */
export const bothPhases: ReadonlyArray<Phase> = ["exec", "tally"]
