/** Crypto price feed: the US dollar price of one asset pair, as an EVM uint256 of 10^-8 dollars or as JSON. */
import {
  fail,
  feedId,
  fetchPrice,
  Fields,
  inputFields,
  isTally,
  JsonKind,
  Reveal,
  revealedUnits,
  setMedianResult,
  setPriceResult,
  Uint256,
  wantsJson
} from "../sdk/index"

/** A price older than this is refused. */
const maxPriceAgeMs: i64 = 60_000

if (isTally()) setMedianResult(unitsOf)
else execute()

/** Execution phase: fetches the price that the inputs ask for. */
function execute(): void {
  const inputs = inputFields()
  const id = requestedFeed(inputs)
  const isJson = wantsJson(inputs)
  setPriceResult(fetchPrice(id, maxPriceAgeMs).value, "price", isJson)
}

function requestedFeed(inputs: Fields): string {
  const id = inputs.value("id")
  const feed: string | null = id.kind == JsonKind.String ? feedId(id.text()) : null
  return feed === null ? fail<string>("id is not 64 hex characters") : feed
}

/** The value by which several reveals are ordered. */
function unitsOf(reveal: Reveal): Uint256 {
  return revealedUnits(reveal, "price")
}
