/** The program that `sibyl new` writes: one price over HTTP, as JSON. AssemblyScript, as text. */

/** Its `index.ts`. */
export const programSource = `/** Asks a price service over HTTP for one price; answers JSON: {"price":96243.12}. */
import {
  Decimal, fail, httpFetch, inputFields, isTally, parseJson, Reveal, revealedUnits, setMedianResult, setPriceResult,
  Uint256
} from "@sibyl/programs/sdk/index"

/**
 * Where prices come from. Change it, and what is read from the answer. This host wants an API key since August 2026: the
 * operator sets it in outbound.hostHeaders, and no program ever sees it.
 */
const service = "https://hermes.pyth.network/v2/updates/price/latest?parsed=true&ids%5B%5D="

/** BTC/USD, which is asked for when the inputs do not say another feed. */
const btcUsd = "e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43"

// One module for both phases: the execution asks the world, the tally takes the median of what executions revealed.
if (isTally()) setMedianResult(priceOf)
else execute()

function execute(): void {
  const feed = inputFields().textOr("feed", btcUsd)
  const response = httpFetch(service + feed)
  if (response.status == 0) return fail<void>("the price service did not answer: " + response.text())
  if (response.status == 401 || response.status == 403) {
    return fail<void>("the price service wants an API key, which the operator sets in outbound.hostHeaders")
  }
  if (!response.isOk) return fail<void>("the price service answered with status " + response.status.toString())
  const update = parseJson(response.bytes).get("parsed").elements()
  if (update.length == 0) return fail<void>("the price service knows no such feed")
  const quote = update[0].get("price")
  const price = Decimal.parse(quote.get("price").text(), quote.get("expo").integer())
  if (price === null) return fail<void>("the answer has no price")
  setPriceResult(price, "price", true)
}

/** By what several reveals are ordered. */
function priceOf(reveal: Reveal): Uint256 {
  return revealedUnits(reveal, "price")
}
`
