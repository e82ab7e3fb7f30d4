/** The orders that workers are given: what they have already is only named. */
import type { PassOrder } from "../orders/messages.ts"
import type { PassJob } from "./passJob.ts"
import type { PoolPrograms } from "./poolPrograms.ts"
import { PoolTerms } from "./poolTerms.ts"
import type { Slot } from "./workerSlot.ts"

/** Makes orders of jobs. */
export class PassOrders {
  readonly #programs: PoolPrograms
  readonly #terms = new PoolTerms()

  constructor(programs: PoolPrograms) {
    this.#programs = programs
  }

  /** The order for a job at this slot, to which it has to be given. */
  orderFor(slot: Slot, job: PassJob): PassOrder {
    const { input, isCheck, source, tally } = job
    // Before that of the tally, as the worker takes them.
    const program = this.#programs.orderedFor(slot, input.phase, source)
    return {
      terms: this.#terms.of(job, slot.terms),
      tape: input.tape,
      ahead: input.ahead,
      isCheck,
      tally:
        tally === undefined
          ? undefined
          : { blockHeight: tally.blockHeight, sign: tally.sign, ...this.#programs.orderedFor(slot, "tally", tally.source) },
      ...program
    }
  }
}
