/** Programs that ended their workers: they are not given another one for some time. */
import type { Phase } from "@sibyl/core"
import { LRUCache } from "lru-cache"
import type { ProgramSource } from "../orders/messages.ts"
import type { WorkerLoss } from "../tape/tape.ts"
import type { PassJob, PassReply } from "./passJob.ts"
import type { LostPass } from "./lostPass.ts"
import { programKey } from "./poolPrograms.ts"

/** How many are remembered, and for how long: the machine may have been short of memory for other reasons. */
const rememberedPrograms = 1_000
const rememberedForMs = 3_600_000

/** What is remembered of programs in a pool. */
export class DeadlyPrograms {
  readonly #losses = new LRUCache<string, WorkerLoss>({ max: rememberedPrograms, ttl: rememberedForMs })

  /** How it ended its workers in this phase; undefined if it did not. */
  lossOf(phase: Phase, source: ProgramSource): WorkerLoss | undefined {
    return this.#losses.get(programKey(phase, source))
  }

  /** The reply to a job whose program is known; undefined if it may run. */
  replyTo({ input, source, tally }: PassJob): PassReply | undefined {
    const loss = this.lossOf(input.phase, source)
    if (loss !== undefined) return { kind: "lost", elapsedMs: 0, loss }
    const tallyLoss = tally === undefined ? undefined : this.lossOf("tally", tally.source)
    return tallyLoss === undefined ? undefined : { kind: "tallyLost", elapsedMs: 0, loss: tallyLoss }
  }

  /** Remembers the program that ended this pass; how the pass is replied to. */
  remember({ input, source, tally }: PassJob, { elapsedMs, loss, tallyAfterMs }: LostPass): PassReply {
    if (tally === undefined || tallyAfterMs === undefined) {
      this.#losses.set(programKey(input.phase, source), loss)
      return { kind: "lost", elapsedMs, loss }
    }
    this.#losses.set(programKey("tally", tally.source), loss)
    return { kind: "tallyLost", elapsedMs: Math.max(0, elapsedMs - tallyAfterMs), loss }
  }
}
