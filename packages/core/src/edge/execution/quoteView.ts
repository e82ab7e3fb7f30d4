/** A quote as a client reads it, over REST and over JSON-RPC. */
import type { QuoteResponse } from "../../contract/records.ts"
import type { Quote } from "../../services/quotes.ts"

const text = (credits: bigint | undefined): string | null => (credits === undefined ? null : String(credits))

/** The whole response to `dryRun`. */
export const quoteView = (quote: Quote): typeof QuoteResponse.Type => {
  const { affordable, drId, gasPerWorkerMs, remaining, remainingInPeriod, typical, worst } = quote
  return {
    _tag: "QuoteResponse",
    data: {
      drId,
      quote: {
        worstCase: String(worst.total),
        typical: text(typical),
        cost: {
          base: String(worst.base),
          gas: String(worst.gas),
          dataProxies: String(worst.dataProxies),
          total: String(worst.total)
        },
        gasPerWorkerMs: String(gasPerWorkerMs),
        remaining: String(remaining),
        remainingInPeriod: text(remainingInPeriod),
        affordable
      }
    }
  }
}
