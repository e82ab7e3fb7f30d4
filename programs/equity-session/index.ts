/** Session-aware equity price: the price of the current trading session, mixed with that of the previous one. */
import {
  Decimal,
  fail,
  FeedPrice,
  feedId,
  fetchPrices,
  Fields,
  inputFields,
  isoTime,
  isTally,
  JsonKind,
  JsonObject,
  latestPricesUrl,
  nowMs,
  parseJson,
  percentage,
  Reveal,
  setMedianResult,
  setResultJson,
  Uint256
} from "../sdk/index"
import { sessionAt, sessionNames } from "./session"

/** A session's price older than this is stale. */
const maxPriceAgeMs: i64 = 60_000

/** The exponents, up and down, within which a rate is printed. */
const maxExponent: i64 = 36

/** The decimal places to which the rates of several reveals are compared. */
const comparedPlaces: i32 = 18

/** The beginning of the message that refuses fractions. */
const weightsUnit: string = "weights are percent, 85.5 and not 0.855: "

if (isTally()) setMedianResult(rateOf)
else execute()

/** Execution phase: fetches the prices of all four sessions at once, because any of them may be the newest. */
function execute(): void {
  const inputs = inputFields()
  const ids = sessionIds(inputs)
  const weights = sessionWeights(inputs)
  const prices = fetchPrices(ids, sessionNames.map<string>((name) => name + " price"))
  const timeMs = nowMs()
  const session = sessionAt(timeMs / 1000)
  const own = prices[session.at]
  const isStale = own.isOlderThan(maxPriceAgeMs, timeMs)
  const used = isStale ? newest(own, prices) : own

  const weight = weights[session.at].shifted(-2)
  const rest = complement(weight)
  const reference = prices[(session.at + 3) % 4]
  const mantissa = compositeMantissa(used.value, weight, reference.value, rest, own.expo)
  setResultJson(
    new JsonObject()
      .decimal("composite_rate", new Decimal(false, mantissa, own.expo))
      .object("price", new JsonObject().text("mantissa", mantissa.toString()).integer("expo", own.expo))
      .text("active_session", sessionNames[session.at])
      .object("weights", new JsonObject().decimal("session", weight).decimal("reference", rest))
      .text("timestamp", isoTime(used.publishTimeS))
      .texts("sources_used", [latestPricesUrl(ids)])
      .flag("was_stale", isStale || session.isClosed)
      .text("market", session.isClosed ? "closed" : "open")
      .text("weights_unit", "fraction")
  )
}

/** The price published last; of several from the same second the session's own, else the first. */
function newest(own: FeedPrice, prices: Array<FeedPrice>): FeedPrice {
  let found = own
  for (let at = 0; at < prices.length; at++) {
    if (prices[at].publishTimeS > found.publishTimeS) found = prices[at]
  }
  return found
}

/** `1 - weight`, exactly: a weight has few enough decimal places. */
function complement(weight: Decimal): Decimal {
  const rest = Decimal.of(1).minus(weight)
  return rest === null ? fail<Decimal>("the weights do not fit 256 bits") : rest.trimmed()
}

/** `weight * price + rest * reference` in units of 10^`expo`, rounded half to even once, at the end. */
function compositeMantissa(price: Decimal, weight: Decimal, reference: Decimal, rest: Decimal, expo: i64): Uint256 {
  if (expo < -maxExponent || expo > maxExponent) return fail<Uint256>("the session price's expo is out of range")
  const part = price.times(weight)
  const other = reference.times(rest)
  const sum: Decimal | null = part === null || other === null ? null : part.plus(other)
  const mantissa: Uint256 | null = sum === null ? null : sum.units(<i32>-expo)
  if (mantissa === null) return fail<Uint256>("the composite rate does not fit 256 bits")
  return mantissa.isZero() ? fail<Uint256>("the composite rate rounds to zero") : mantissa
}

function sessionIds(inputs: Fields): Array<string> {
  const list = inputs.list("session_ids")
  if (list.length != sessionNames.length) return fail<Array<string>>("session_ids are not four")
  const ids = new Array<string>()
  for (let at = 0; at < list.length; at++) {
    const id: string | null = list[at].kind == JsonKind.String ? feedId(list[at].text()) : null
    if (id === null) return fail<Array<string>>(inputs.nameOfElement("session_ids", at) + " is not 64 hex characters")
    ids.push(id)
  }
  return ids
}

function sessionWeights(inputs: Fields): Array<Decimal> {
  const list = inputs.list("weights")
  if (list.length != sessionNames.length) return fail<Array<Decimal>>("weights are not four")
  const weights = new Array<Decimal>()
  let someCount = false
  let someAboveOne = false
  for (let at = 0; at < list.length; at++) {
    const name = inputs.nameOfElement("weights", at)
    const weight = percentage(list[at], name)
    const rest = complement(weight)
    if (!weight.isZero() && !rest.isZero() && !rest.isBelowZero()) {
      return fail<Array<Decimal>>(weightsUnit + name + " is between 0 and 1")
    }
    if (!weight.isZero()) someCount = true
    if (rest.isBelowZero()) someAboveOne = true
    weights.push(weight)
  }
  // Only zeros and ones: 1 was meant as the whole.
  return someCount && !someAboveOne
    ? fail<Array<Decimal>>(weightsUnit + "none of these is above 1")
    : weights
}

/** The value by which several reveals are ordered. */
function rateOf(reveal: Reveal): Uint256 {
  const rate = Decimal.parse(parseJson(reveal.bytes).get("composite_rate").text())
  const units: Uint256 | null = rate === null ? null : rate.units(comparedPlaces)
  return units === null ? fail<Uint256>("a reveal has no composite_rate") : units
}
