/** The terms of the runs of a pool: which are the same as before, and which worker has them. */
import { charsOf, mostTermsChars, type OrderedTerms, type RunTerms, TermsByNumber } from "../orders/runTerms.ts"
import type { PassJob } from "./passJob.ts"

/** Which terms a worker has. */
export type TermsOfWorker = TermsByNumber<true>

/** Of a worker that has none yet. */
export const noTerms = (): TermsOfWorker => new TermsByNumber()

/** By what terms are recognised, beside the object of their variables: they do not refer to it, or it would outlive its last run for long. */
interface SeenTerms extends Omit<RunTerms["input"], "envs">, Pick<RunTerms, "tally"> {
  /** Given when they are seen again: most that are seen once would only displace others. */
  number: number | undefined
}

const termsOf = ({ input, tally }: PassJob): RunTerms => {
  const { args, envs, gasLimit, limits, phase } = input
  const given = { phase, args, envs, gasLimit, limits: enforcedOf(limits) }
  return tally === undefined ? { input: given } : { input: given, tally: { base: tally.base, gasLimit: tally.gasLimit } }
}

/** Only what a worker enforces: of all limits it has a quarter. */
const enforcedOf = ({
  hostCallBytes,
  hostCalls,
  httpActionBytes,
  resultBytes,
  stderrBytes,
  stdoutBytes,
  storageActionBytes
}: PassJob["input"]["limits"]): RunTerms["input"]["limits"] => ({
  hostCallBytes,
  hostCalls,
  httpActionBytes,
  resultBytes,
  stderrBytes,
  stdoutBytes,
  storageActionBytes
})

const haveSameLimits = (left: RunTerms["input"]["limits"], right: RunTerms["input"]["limits"]): boolean =>
  left.hostCallBytes === right.hostCallBytes &&
  left.hostCalls === right.hostCalls &&
  left.httpActionBytes === right.httpActionBytes &&
  left.resultBytes === right.resultBytes &&
  left.stderrBytes === right.stderrBytes &&
  left.stdoutBytes === right.stdoutBytes &&
  left.storageActionBytes === right.storageActionBytes

const areOf = (seen: SeenTerms, { input, tally }: PassJob): boolean =>
  seen.phase === input.phase &&
  seen.args === input.args &&
  seen.gasLimit === input.gasLimit &&
  seen.tally?.base === tally?.base &&
  seen.tally?.gasLimit === tally?.gasLimit &&
  haveSameLimits(seen.limits, input.limits)

/** Recognises terms by the object of their variables: a request that is repeated is given the same one. */
export class PoolTerms {
  readonly #seen = new WeakMap<PassJob["input"]["envs"], SeenTerms>()
  #last = 0

  /** The terms of a job, for a worker with these. */
  of(job: PassJob, worker: TermsOfWorker): OrderedTerms {
    const number = this.#numberOf(job)
    if (number !== undefined && worker.get(number) === true) return { kind: "known", number }
    const terms = termsOf(job)
    if (number !== undefined) worker.add(number, terms, true)
    return { kind: "sent", number, terms }
  }

  #numberOf(job: PassJob): number | undefined {
    const seen = this.#seen.get(job.input.envs)
    if (seen !== undefined && areOf(seen, job)) {
      if (seen.number === undefined && charsOf(termsOf(job)) <= mostTermsChars) seen.number = this.#last += 1
      return seen.number
    }
    const { input, tally } = termsOf(job)
    const { args, gasLimit, limits, phase } = input
    this.#seen.set(job.input.envs, { phase, args, gasLimit, limits, number: undefined, ...(tally === undefined ? {} : { tally }) })
    return undefined
  }
}
