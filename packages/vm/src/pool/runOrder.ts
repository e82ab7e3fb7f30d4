/** What a worker does with an order: prepares the program if need be, runs one pass, reports. No Effect in here. */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import type { GuestCache } from "../pass/guestCache.ts"
import { pass } from "../pass/pass.ts"
import { prepareProgram, type Preparation } from "../pass/prepare.ts"
import type { PassOrder, WorkerReport } from "./messages.ts"
import type { LRUCache } from "lru-cache"

/** The caches of a worker. */
export interface WorkerCaches {
  readonly known: LRUCache<string, Preparation>
  readonly guests: GuestCache
}

/** Prepares a program after checking that its bytes are those that its id names: the id is the key of every cache. */
const prepare = (order: PassOrder, known: LRUCache<string, Preparation>): Preparation => {
  if (order.program.kind === "prepared") return order.program.preparation
  if (order.program.kind === "known") {
    const preparation = known.get(order.programKey)
    if (preparation === undefined) throw new Error("the pool named a program that this worker does not have")
    return preparation
  }
  const { bytes, memoryPages, programId } = order.program.source
  const id = bytesToHex(keccak_256(bytes))
  if (id !== programId) throw new Error(`the program's bytes have the id ${id}, not ${programId}`)
  return prepareProgram(bytes, order.input.phase, memoryPages)
}

/** Runs one pass with the programs that this worker keeps. Anything thrown is an internal defect. */
export const runOrder = (order: PassOrder, { guests, known }: WorkerCaches): WorkerReport => {
  try {
    const preparation = prepare(order, known)
    known.set(order.programKey, preparation)
    const result = pass(preparation, order.input, { guests })
    return { kind: "passed", result, preparation: order.program.kind === "source" ? preparation : undefined }
  } catch (fault) {
    return { kind: "defect", message: fault instanceof Error ? (fault.stack ?? fault.message) : String(fault) }
  }
}
