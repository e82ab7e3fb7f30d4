/** The programs of a pool: which worker has which, and what one worker has compiled for the others. */
import type { Phase } from "@sibyl/core"
import { LRUCache } from "lru-cache"
import type { OrderedProgram, PreparedBy, ProgramSource } from "../orders/messages.ts"
import type { Preparation } from "../pass/prepare.ts"
import type { Slot } from "./workerSlot.ts"

/** The name of a program in a phase, with its limit of memory. */
export const programKey = (phase: Phase, { memoryPages, programId }: ProgramSource): string => `${phase}:${memoryPages}:${programId}`

/** Names the programs that a worker has, and sends it the others. */
export class PoolPrograms {
  readonly #prepared: LRUCache<string, Preparation>

  constructor(most: number) {
    this.#prepared = new LRUCache({ max: most })
  }

  /** What a worker has prepared. */
  keep(prepared: ReadonlyArray<PreparedBy>): void {
    for (const { key, preparation } of prepared) this.#prepared.set(key, preparation)
  }

  /** A program as the worker of a slot is sent it. Sending a compiled module takes a millisecond, so each worker gets it once. */
  orderedFor(slot: Slot, phase: Phase, source: ProgramSource): OrderedProgram {
    const key = programKey(phase, source)
    const preparation = this.#prepared.get(key)
    const isKnown = slot.known.get(key) === true
    slot.known.set(key, true)
    if (isKnown) return { key, phase, program: { kind: "known" } }
    return { key, phase, program: preparation === undefined ? { kind: "source", source } : { kind: "prepared", preparation } }
  }
}
