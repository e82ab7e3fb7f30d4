/** The terms of the runs of a pool: which are the same as before, and which worker has them. */
import { charsOf, mostTermsChars, type OrderedTerms, type RunTerms, TermsByNumber } from "../orders/runTerms.ts"
import type { PassLimits } from "../pass/passLimits.ts"
import type { PassJob } from "./passJob.ts"

/** Which terms a worker has. */
export type TermsOfWorker = TermsByNumber<true>

/** Of a worker that has none yet. */
export const noTerms = (): TermsOfWorker => new TermsByNumber()

/** What a worker enforces, of all limits a fifth. */
const enforced = [
  "hostCallBytes",
  "hostCalls",
  "httpActionBytes",
  "resultBytes",
  "stderrBytes",
  "stdoutBytes",
  "storageActionBytes"
] as const satisfies ReadonlyArray<keyof PassLimits>

const enforcedOf = (limits: PassLimits): PassLimits => Object.fromEntries(enforced.map((name) => [name, limits[name]])) as PassLimits

/** By what terms are recognised, beside the object of their variables: they do not refer to it, or it would outlive its last run for long. */
interface SeenTerms extends Omit<RunTerms["input"], "envs">, Pick<RunTerms, "tally"> {
  /** Given when they are seen again: most that are seen once would only displace others. */
  number: number | undefined
}

const areOf = (seen: SeenTerms, { input, tally }: PassJob): boolean =>
  seen.phase === input.phase &&
  seen.args === input.args &&
  seen.gasLimit === input.gasLimit &&
  seen.tally?.base === tally?.base &&
  seen.tally?.gasLimit === tally?.gasLimit &&
  (seen.limits === input.limits || enforced.every((name) => seen.limits[name] === input.limits[name]))

/** What is the same for all runs of a request. */
const sharedOf = ({ input: { args, gasLimit, limits, phase }, tally }: PassJob): Omit<SeenTerms, "number"> => ({
  phase,
  args,
  gasLimit,
  limits,
  ...(tally === undefined ? {} : { tally: { base: tally.base, gasLimit: tally.gasLimit } })
})

const termsOf = (job: PassJob): RunTerms => {
  const { tally, ...input } = sharedOf(job)
  return { input: { envs: job.input.envs, ...input, limits: enforcedOf(input.limits) }, ...(tally === undefined ? {} : { tally }) }
}

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
    if (seen === undefined || !areOf(seen, job)) {
      this.#seen.set(job.input.envs, { number: undefined, ...sharedOf(job) })
      return undefined
    }
    if (seen.number === undefined && charsOf(job) <= mostTermsChars) seen.number = this.#last += 1
    return seen.number
  }
}
