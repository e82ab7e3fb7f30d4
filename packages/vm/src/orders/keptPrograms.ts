/** The programs that a worker keeps, prepared when they are first needed. */
import { bytesToHex } from "@noble/hashes/utils.js"
import { keccak256 } from "@sibyl/core/internal"
import { LRUCache } from "lru-cache"
import { prepareProgram, type Preparation } from "../pass/prepare.ts"
import type { OrderedProgram, PreparedBy } from "./messages.ts"

/** A program whose source has come but has not been needed yet, or a prepared one. */
type Kept = Exclude<OrderedProgram["program"], { readonly kind: "known" }>

/** A program of an order. Call `prepare` when it is needed. */
export interface KeptProgram {
  readonly prepare: () => Preparation
}

/**
 * The programs of one worker. The pool counts along: it keeps the same keys in the same order, so both have to take the programs of each
 * order in the same order, whether they are needed or not.
 */
export class KeptPrograms {
  readonly #kept: LRUCache<string, Kept>
  #prepared: Array<PreparedBy> = []

  constructor(most: number) {
    this.#kept = new LRUCache({ max: most })
  }

  /** Takes a program of an order. */
  take({ key, phase, program }: OrderedProgram): KeptProgram {
    const kept = program.kind === "known" ? this.#kept.get(key) : program
    if (kept === undefined) throw new Error("the pool named a program that this worker does not have")
    this.#kept.set(key, kept)
    return {
      prepare: () => {
        if (kept.kind === "prepared") return kept.preparation
        const { bytes, memoryPages, programId } = kept.source
        const id = bytesToHex(keccak256(bytes))
        // The id is the key of every cache.
        if (id !== programId) throw new Error(`the program's bytes have the id ${id}, not ${programId}`)
        const preparation = prepareProgram(bytes, phase, memoryPages)
        if (this.#kept.peek(key) === kept) this.#kept.set(key, { kind: "prepared", preparation })
        this.#prepared.push({ key, preparation })
        return preparation
      }
    }
  }

  /** What was prepared since the last call. */
  takePrepared(): ReadonlyArray<PreparedBy> {
    const prepared = this.#prepared
    this.#prepared = []
    return prepared
  }
}
