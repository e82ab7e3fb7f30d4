/** Prices of the public price service (Hermes, version 2): asks for one feed and refuses what is not sound. */
import { nowMs } from "./clock"
import { Decimal } from "./decimal"
import { lowerHex } from "./hex"
import { httpFetch } from "./httpFetch"
import { JsonValue, parseJson } from "./json"
import { jsonInteger } from "./jsonWriter"
import { fail } from "./process"

/** The service of the latest prices. */
const latestPrice = "https://hermes.pyth.network/v2/updates/price/latest"

/** A feed id, with or without `0x`, as the service prints it: 64 lower-case hex characters. `null` when it is none. */
export function feedId(text: string): string | null {
  const digits = text.startsWith("0x") || text.startsWith("0X") ? text.substring(2) : text
  return digits.length == 64 ? lowerHex(digits) : null
}

/** The address of a feed's latest price. The brackets of `ids[]` are escaped, as RFC 3986 wants. */
export function latestPriceUrl(id: string): string {
  return latestPrice + "?ids%5B%5D=" + id + "&parsed=true"
}

/** The latest price of a feed: positive, at most `maxAgeMs` old by the execution's clock. Else the program ends. */
export function fetchPrice(id: string, maxAgeMs: i64): Decimal {
  const response = httpFetch(latestPriceUrl(id))
  if (response.status == 0) return fail<Decimal>("the price service did not answer: " + response.text())
  if (!response.isOk) return fail<Decimal>("the price service answered with status " + jsonInteger(response.status))
  const answer = parseJson(response.bytes)
  if (!answer.exists) return fail<Decimal>("the price service's answer is not JSON")
  const price = priceUpdate(answer, id).get("price")

  if (nowMs() - integerOf(price, "publish_time") * 1000 > maxAgeMs) {
    return fail<Decimal>("the price is older than " + jsonInteger(maxAgeMs / 1000) + " seconds")
  }
  const value = Decimal.parse(price.get("price").text(), integerOf(price, "expo"))
  if (value === null) return fail<Decimal>("the price service's price is not a number")
  if (value.isNegative || value.isZero()) return fail<Decimal>("the price is not positive")
  return value
}

/** The update of a feed among those of an answer. */
function priceUpdate(answer: JsonValue, id: string): JsonValue {
  const updates = answer.get("parsed").elements()
  for (let at = 0; at < updates.length; at++) {
    if (feedId(updates[at].get("id").text()) == id) return updates[at]
  }
  return fail<JsonValue>("the price service's answer lacks the feed")
}

function integerOf(value: JsonValue, name: string): i64 {
  const member = value.get(name)
  return member.isInteger() ? member.integer() : fail<i64>("the price service's " + name + " is not an integer")
}
