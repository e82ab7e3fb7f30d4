/** The terms of the runs of a pool: which are the same as before, and which worker has them. */
import { charsOf, mostTermsChars, type OrderedTerms, type RunTerms, TermsByNumber } from "../orders/runTerms.ts"
import type { PassJob } from "./passJob.ts"

/** Which terms a worker has. */
export type TermsOfWorker = TermsByNumber<true>

/** Of a worker that has none yet. */
export const noTerms = (): TermsOfWorker => new TermsByNumber()

interface SeenTerms {
  readonly terms: RunTerms
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

const areOf = ({ input, tally }: RunTerms, { input: asked, tally: askedTally }: PassJob): boolean =>
  input.phase === asked.phase &&
  input.args === asked.args &&
  input.gasLimit === asked.gasLimit &&
  tally?.base === askedTally?.base &&
  tally?.gasLimit === askedTally?.gasLimit &&
  haveSameLimits(input.limits, asked.limits)

/** Recognises terms by the object of their variables: a request that is repeated is given the same one. */
export class PoolTerms {
  readonly #seen = new WeakMap<PassJob["input"]["envs"], SeenTerms>()
  #last = 0

  /** The terms of a job, for a worker with these. */
  of(job: PassJob, worker: TermsOfWorker): OrderedTerms {
    const { number, terms } = this.#termsOf(job)
    if (number === undefined) return { kind: "sent", number, terms }
    if (worker.get(number) === true) return { kind: "known", number }
    worker.add(number, terms, true)
    return { kind: "sent", number, terms }
  }

  #termsOf(job: PassJob): SeenTerms {
    const { envs } = job.input
    const seen = this.#seen.get(envs)
    if (seen !== undefined && areOf(seen.terms, job)) {
      if (seen.number === undefined && charsOf(seen.terms) <= mostTermsChars) seen.number = this.#last += 1
      return seen
    }
    const first: SeenTerms = { terms: termsOf(job), number: undefined }
    this.#seen.set(envs, first)
    return first
  }
}
