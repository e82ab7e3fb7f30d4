/** Crypto price feed: the US dollar price of one asset pair, as an EVM uint256 of 10^-8 dollars or as JSON. */
import {
  agreedReveals,
  Decimal,
  fail,
  isTally,
  JsonKind,
  jsonInputs,
  JsonValue,
  medianReveal,
  parseJson,
  resultPlaces,
  Reveal,
  setResult,
  setResultText,
  Uint256,
  unitsText
} from "../sdk/index"
import { feedId, fetchPrice } from "../sdk/priceFeed"

/** A price older than this is refused. */
const maxPriceAgeMs: i64 = 60_000

if (isTally()) tally()
else execute()

/** Execution phase: fetches the price that the inputs ask for. */
function execute(): void {
  const inputs = jsonInputs()
  const id = requestedFeed(inputs)
  const isJson = wantsJson(inputs)
  const units = fetchPrice(id, maxPriceAgeMs).units(resultPlaces)
  if (units === null) return fail<void>("the price does not fit 256 bits")
  if (units.isZero()) return fail<void>("the price rounds to zero at 10^-8")
  if (isJson) setResultText("{\"price\":" + unitsText(units, resultPlaces) + "}")
  else setResult(units.toBytes())
}

function requestedFeed(inputs: JsonValue): string {
  const id = inputs.get("id")
  if (!id.exists) return fail<string>("id is missing")
  const feed: string | null = id.kind == JsonKind.String ? feedId(id.text()) : null
  return feed === null ? fail<string>("id is not 64 hex characters") : feed
}

function wantsJson(inputs: JsonValue): bool {
  const format = inputs.get("output_format")
  if (!format.exists) return false
  if (format.kind == JsonKind.String && format.text() == "json") return true
  return fail<bool>("output_format is not json")
}

/** Tally phase: the one reveal as it is, of several the median. */
function tally(): void {
  const agreed = agreedReveals()
  if (agreed.length == 0) return fail<void>("no execution succeeded in consensus")
  setResult(medianReveal(agreed, unitsOf).bytes)
}

/** A reveal's price in units of 10^-8, whichever form it has. */
function unitsOf(reveal: Reveal): Uint256 {
  const price = Decimal.parse(parseJson(reveal.bytes).get("price").text())
  const units: Uint256 | null = price === null ? null : price.units(resultPlaces)
  if (units !== null) return units
  return reveal.bytes.length == 32 ? Uint256.fromBytes(reveal.bytes) : fail<Uint256>("a reveal is not a price")
}
