/** What the runs of a request have in common. A worker is sent it once, and later its number: nearly all of an order is the same each time. */
import type { TallyBase } from "@sibyl/core/internal"
import { LRUCache } from "lru-cache"
import type { PassInput } from "../pass/pass.ts"

/** Everything of an order that does not change from run to run. */
export interface RunTerms {
  readonly input: Omit<PassInput, "tape" | "ahead">
  /** Of the tally phase behind the execution phase. */
  readonly tally?: {
    /** The `TallyBase` of the request, as JSON: a text is cloned in a fifth of the time. */
    readonly base: string
    readonly gasLimit: bigint
  }
}

/** The terms as a worker is sent them. `number`: under which it keeps them; larger ones are sent each time. */
export type OrderedTerms =
  | { readonly kind: "known"; readonly number: number }
  | { readonly kind: "sent"; readonly number: number | undefined; readonly terms: RunTerms }

/** How many characters terms may have that a worker keeps. */
export const mostTermsChars = 16_384

/** How many terms a worker keeps, and how many characters all of them may have. */
const [mostTerms, mostCharsKept] = [8_192, 8 * 2 ** 20]

/** Terms by their numbers. The pool has one of these for each worker, and the worker itself: the same calls lead to the same numbers. */
export class TermsByNumber<Value extends object | true> {
  readonly #kept = new LRUCache<number, Value>({ max: mostTerms, maxSize: mostCharsKept })

  get(number: number): Value | undefined {
    return this.#kept.get(number)
  }

  add(number: number, terms: RunTerms, value: Value): void {
    this.#kept.set(number, value, { size: charsOf(terms) })
  }
}

/** The texts of terms. */
interface TermTexts {
  readonly input: Pick<PassInput, "args" | "envs">
  readonly tally?: Pick<Required<RunTerms>["tally"], "base">
}

/** One at least. */
export const charsOf = ({ input: { args, envs }, tally }: TermTexts): number => {
  let chars = 1 + (tally?.base.length ?? 0)
  for (const arg of args) chars += arg.length
  for (const [key, value] of envs) chars += key.length + value.length
  return chars
}

/** Terms that a worker has, their text read once. */
export interface TakenTerms extends Pick<RunTerms, "input"> {
  readonly tally: { readonly base: TallyBase; readonly gasLimit: bigint } | undefined
}

/** The terms of one worker. The pool counts along, as it does for programs. */
export class KeptTerms {
  readonly #kept = new TermsByNumber<TakenTerms>()

  /** The terms of an order, which has to be called for each order. */
  take(ordered: OrderedTerms): TakenTerms {
    if (ordered.kind === "known") {
      const known = this.#kept.get(ordered.number)
      if (known === undefined) throw new Error("the pool named terms that this worker does not have")
      return known
    }
    const { number, terms } = ordered
    const taken = takenOf(terms)
    if (number !== undefined) this.#kept.add(number, terms, taken)
    return taken
  }
}

const takenOf = ({ input, tally }: RunTerms): TakenTerms => ({
  input,
  tally: tally === undefined ? undefined : { base: JSON.parse(tally.base) as TallyBase, gasLimit: tally.gasLimit }
})
