/** Prices of the public price service (Hermes, version 2): fetches feeds and refuses invalid prices. */
import { nowMs } from "./clock"
import { Decimal } from "./decimal"
import { lowerHex } from "./hex"
import { httpFetch } from "./httpFetch"
import { maxTimeS } from "./isoTime"
import { JsonValue, parseJson } from "./json"
import { jsonInteger } from "./jsonWriter"
import { fail } from "./process"

/** The service of the latest prices. */
const latestPrice = "https://hermes.pyth.network/v2/updates/price/latest"

/** Normalizes a feed id, with or without `0x`, to 64 lower-case hex characters. `null` if it is invalid. */
export function feedId(text: string): string | null {
  const digits = text.startsWith("0x") || text.startsWith("0X") ? text.substring(2) : text
  return digits.length == 64 ? lowerHex(digits) : null
}

/** The URL of the feeds' latest prices, without duplicates. The brackets of `ids[]` are escaped (RFC 3986). */
export function latestPricesUrl(ids: Array<string>): string {
  let query = ""
  for (let at = 0; at < ids.length; at++) {
    if (ids.indexOf(ids[at]) == at) query += "ids%5B%5D=" + ids[at] + "&"
  }
  return latestPrice + "?" + query + "parsed=true"
}

/** One price of the service: positive, from a time between 1970 and 9999. */
export class FeedPrice {
  constructor(
    /** Its name in messages. */
    readonly name: string,
    readonly value: Decimal,
    /** The exponent of the price as published. */
    readonly expo: i64,
    /** When it was published, epoch seconds. */
    readonly publishTimeS: i64
  ) {}

  /** Whether it is older than that at a time; one from a clock ahead of ours is not. */
  isOlderThan(ageMs: i64, timeMs: i64): bool {
    return timeMs - this.publishTimeS * 1000 > ageMs
  }

  /** Ends the program if the price is older than that by the execution's clock. */
  mustBeYounger(maxAgeMs: i64, timeMs: i64): this {
    if (this.isOlderThan(maxAgeMs, timeMs)) {
      fail<void>("the " + this.name + " is older than " + jsonInteger(maxAgeMs / 1000) + " seconds")
    }
    return this
  }
}

/** The latest price of one feed, at most that old. */
export function fetchPrice(id: string, maxAgeMs: i64): FeedPrice {
  return fetchPrices([id], ["price"])[0].mustBeYounger(maxAgeMs, nowMs())
}

/** The latest prices of feeds in one request, of any age; `names` are their names in messages. */
export function fetchPrices(ids: Array<string>, names: Array<string>): Array<FeedPrice> {
  const response = httpFetch(latestPricesUrl(ids))
  if (response.status == 0) return refuse("did not answer: " + response.text())
  if (!response.isOk) return refuse("answered with status " + jsonInteger(response.status) + wantedKey(response.status))
  const answer = parseJson(response.bytes)
  if (!answer.exists) return fail<Array<FeedPrice>>("the price service's answer is not JSON")
  const updates = answer.get("parsed").elements()
  const prices = new Array<FeedPrice>()
  for (let at = 0; at < ids.length; at++) prices.push(priceIn(updates, ids[at], names[at]))
  return prices
}

/** Hermes requires an API key since August 2026. Clients cannot set one, so the message says who can, and where. */
function wantedKey(status: i32): string {
  return status == 401 || status == 403 ? ": it wants an API key, which the operator sets in outbound.hostHeaders" : ""
}

function refuse(what: string): Array<FeedPrice> {
  return fail<Array<FeedPrice>>("the price service " + what)
}

/** The price of a feed among the updates of an answer. */
function priceIn(updates: Array<JsonValue>, id: string, name: string): FeedPrice {
  for (let at = 0; at < updates.length; at++) {
    if (feedId(updates[at].get("id").text()) == id) return soundPrice(updates[at].get("price"), name)
  }
  return fail<FeedPrice>("the price service's answer lacks the " + name)
}

function soundPrice(price: JsonValue, name: string): FeedPrice {
  const expo = integerOf(price, "expo", name)
  const publishTimeS = integerOf(price, "publish_time", name)
  if (publishTimeS < 0 || publishTimeS > maxTimeS) fail<void>("the " + name + "'s publish_time is out of range")
  const value = Decimal.parse(price.get("price").text(), expo)
  if (value === null) return fail<FeedPrice>("the " + name + " is not a number")
  if (value.isNegative || value.isZero()) return fail<FeedPrice>("the " + name + " is not positive")
  return new FeedPrice(name, value, expo, publishTimeS)
}

function integerOf(price: JsonValue, member: string, name: string): i64 {
  const value = price.get(member)
  return value.isInteger() ? value.integer() : fail<i64>("the " + name + "'s " + member + " is not an integer")
}
