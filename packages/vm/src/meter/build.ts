/** What the builds of a metered module have in common, and what each says for itself. */
import type { Phase } from "@sibyl/core"
import type { FeatureRules } from "../binary/moduleShape.ts"
import type { ByteWriter } from "./byteWriter.ts"

/** The names under which a metered module meets its host. The program's own exports are left out but for two. */
export const meteredNames = {
  module: "sibyl",
  refill: "refill",
  /** Only in the observed build: a function begins, with its index and the gas that is left in the slice; one ends. */
  enter: "enter",
  leave: "leave",
  gas: "gas",
  memory: "memory",
  entry: "_start",
  /** Puts the program's globals back to their first values; only there where it has such that change. */
  reset: "reset"
} as const

/** How to meter. */
export interface MeterOptions {
  readonly phase: Phase
  readonly rules: FeatureRules
  /** Pages that no memory may exceed. */
  readonly memoryPages: number
}

/** A function of the host that a build imports, by its name in {@link meteredNames} and the index of its type. */
export interface AddedImport {
  readonly name: string
  readonly type: number
}

/**
 * One way to meter a module. All add an imported function, `refill`, and a global, `gas`, behind the program's own, and leave
 * the start function out, which no phase runs.
 */
export interface Build {
  /** Where a function of the program is now, for its code and its tables. */
  readonly functionIndex: (original: number) => number
  /** Where it is for whoever enters the program from outside. */
  readonly entryIndex: (original: number) => number
  /** The program's types, then those that the build adds. */
  readonly writeTypes: (out: ByteWriter) => void
  /** What it imports behind the program's own imports: `refill` first, which takes and gives nothing. */
  readonly imports: ReadonlyArray<AddedImport>
  /** The types of all functions with a body. */
  readonly functionTypes: () => ReadonlyArray<number>
  /** How many these are. */
  readonly bodies: number
  /** The function that is exported as `reset`. */
  readonly reset: number | undefined
  /** The contents of the code section behind its count. */
  readonly writeBodies: (out: ByteWriter) => void
}
