/** Metals index: a weighted basket of gold, silver, platinum and palladium in US dollars per troy ounce. */
import {
  Decimal,
  fail,
  fetchPrices,
  Fields,
  inputFields,
  isTally,
  nowMs,
  percentage,
  Reveal,
  revealedUnits,
  setMedianResult,
  setPriceResult,
  Uint256,
  wantsJson
} from "../sdk/index"

/** An older price is refused; markets for metals are closed over a weekend. */
const maxPriceAgeMs: i64 = 72 * 3_600_000

const metals: Array<string> = ["gold", "silver", "platinum", "palladium"]

/** The feeds of XAU/USD, XAG/USD, XPT/USD and XPD/USD. */
const feeds: Array<string> = [
  "765d2ba906dbc32ca17cc11f5310a89e9ee1f6420508c63861f2f8ba4ee34bb2",
  "f2fb02c32b055c805e7238d628e5e9dadef274376114eb1f012337cabe93871e",
  "398e4bbc7cbf89d6648c21e08019d878967677753b3096799595c78f805a34e5",
  "80367e9664197f37d89a07a804dffd2101c479c7c4e8490501bc9d9e1e7f9021"
]

if (isTally()) setMedianResult(unitsOf)
else execute()

/** Execution phase: the sum of each weight in percent times its metal's price. */
function execute(): void {
  const inputs = inputFields()
  const weights = requestedWeights(inputs)
  const isJson = wantsJson(inputs)
  const prices = fetchPrices(feeds, metals.map<string>((metal) => metal + " price"))
  const timeMs = nowMs()
  let index: Decimal | null = Decimal.of(0)
  for (let at = 0; at < metals.length; at++) {
    const part = prices[at].mustBeYounger(maxPriceAgeMs, timeMs).value.times(weights[at])
    index = part === null || index === null ? null : index.plus(part)
  }
  if (index === null) return fail<void>("the index does not fit 256 bits")
  setPriceResult(index.shifted(-2), "index", isJson)
}

/** The weights in percent, in the order of the metals: 25 each unless the inputs have all four of them. */
function requestedWeights(inputs: Fields): Array<Decimal> {
  const weights = new Array<Decimal>()
  if (!inputs.has("weights")) {
    for (let at = 0; at < metals.length; at++) weights.push(Decimal.of(25))
    return weights
  }
  const given = inputs.fields("weights")
  let sum: Decimal | null = Decimal.of(0)
  for (let at = 0; at < metals.length; at++) {
    const weight = percentage(given.value(metals[at]), given.nameOf(metals[at]))
    weights.push(weight)
    sum = sum === null ? null : sum.plus(weight)
  }
  const rest: Decimal | null = sum === null ? null : sum.minus(Decimal.of(100))
  if (rest !== null && rest.isZero()) return weights
  return fail<Array<Decimal>>("weights must sum to 100" + (sum === null ? "" : ", not " + sum.trimmed().toString()))
}

/** The value by which several reveals are ordered. */
function unitsOf(reveal: Reveal): Uint256 {
  return revealedUnits(reveal, "index")
}
