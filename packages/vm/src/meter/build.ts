/** The common part of all builds of a metered module, and what each build defines itself. */
import type { Phase } from "@sibyl/core"
import type { FeatureRules, ModuleShape } from "../binary/moduleShape.ts"
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
  /** Resets the program's globals to their initial values; present only if it has mutable ones. */
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
  /** The new index of a function, as used by the program's code and tables. */
  readonly functionIndex: (original: number) => number
  /** The index to call from outside. */
  readonly entryIndex: (original: number) => number
  /** The program's types, then those that the build adds. */
  readonly writeTypes: (out: ByteWriter) => void
  /** What it imports behind the program's own imports: `refill` first, which takes and gives nothing. */
  readonly imports: ReadonlyArray<AddedImport>
  /** The types of all functions with a body. */
  readonly functionTypes: () => ReadonlyArray<number>
  /** Their number. */
  readonly bodies: number
  /** The function that is exported as `reset`. */
  readonly reset: number | undefined
  /** The contents of the code section behind its count. */
  readonly writeBodies: (out: ByteWriter) => void
}

/** Copies the types that a program declares: the entries of the type section, without their count. */
export const writeOwnTypes = (out: ByteWriter, { bytes, typeSection }: ModuleShape): void => {
  if (typeSection === undefined) return
  // After the count, which the module may have encoded in any length.
  let from = typeSection.from
  while ((bytes[from] ?? 0) >= 0x80) from += 1
  out.copy(bytes, from + 1, typeSection.to)
}
