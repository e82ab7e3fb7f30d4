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

/** How many a worker keeps, and how many characters they may have. */
export const [mostTerms, mostTermsChars] = [256, 16_384]

/** Terms that a worker has, their text read once. */
export interface TakenTerms extends Pick<RunTerms, "input"> {
  readonly tally: { readonly base: TallyBase; readonly gasLimit: bigint } | undefined
}

/** The terms of one worker. The pool counts along, as it does for programs. */
export class KeptTerms {
  readonly #kept = new LRUCache<number, TakenTerms>({ max: mostTerms })

  /** The terms of an order, which has to be called for each order. */
  take(ordered: OrderedTerms): TakenTerms {
    const { number } = ordered
    const terms = ordered.kind === "sent" ? takenOf(ordered.terms) : this.#kept.get(ordered.number)
    if (terms === undefined) throw new Error("the pool named terms that this worker does not have")
    if (number !== undefined) this.#kept.set(number, terms)
    return terms
  }
}

const takenOf = ({ input, tally }: RunTerms): TakenTerms => ({
  input,
  tally: tally === undefined ? undefined : { base: JSON.parse(tally.base) as TallyBase, gasLimit: tally.gasLimit }
})
