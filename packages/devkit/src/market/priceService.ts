/** The responses of a simulated price service, in the shapes recorded from the public one (Hermes, version 2). */
import { hugeExponent, type MarketFault, staleAgeS } from "./marketFault.ts"
import { hash32, type Quote, quoteAt } from "./priceModel.ts"

/** The path of the latest prices. */
export const latestPricePath = "/v2/updates/price/latest"

/** The response to one request. */
export interface ServiceAnswer {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

/** The state of the market at the time of a request. */
export interface MarketMoment {
  readonly seed: number
  readonly timeMs: number
  /** The current fault of one feed. */
  readonly faultOf: (id: string) => MarketFault | undefined
  /** The price that a test pinned for a feed, instead of the model's. */
  readonly pinnedQuote: (id: string) => Quote | undefined
}

const plain = (status: number, body: string): ServiceAnswer => ({
  status,
  contentType: "text/plain; charset=utf-8",
  body
})

const json = (body: string): ServiceAnswer => ({ status: 200, contentType: "application/json", body })

/** Path and query of a request target, valid or not. */
const partsOf = (target: string): { readonly path: string; readonly query: URLSearchParams } => {
  const [path = "", ...query] = target.split("?")
  return { path, query: new URLSearchParams(query.join("?")) }
}

/** The ids in a query, as written: `ids[]=`, `ids[0]=` and `ids=`. */
const idsOf = (query: URLSearchParams): ReadonlyArray<string> =>
  [...query].flatMap(([name, value]) => (/^ids(\[[0-9]*\])?$/.test(name) ? [value] : []))

/** The feed ids in a request target (path and query), lower case without `0x`; malformed ones are omitted. */
export const requestedIds = (target: string): ReadonlyArray<string> => idsOf(partsOf(target).query).flatMap((id) => canonicalId(id) ?? [])

const canonicalId = (text: string): string | undefined => /^(?:0x)?([0-9a-f]{64})$/i.exec(text)?.[1]?.toLowerCase()

const faulty = (quote: Quote, fault: MarketFault | undefined): Quote => {
  switch (fault) {
    case "negativePrice":
      return { ...quote, price: -quote.price }
    case "zeroPrice":
      return { ...quote, price: 0n }
    case "hugeExponent":
      return { ...quote, expo: hugeExponent }
    default:
      return quote
  }
}

const parsedPrice = (moment: MarketMoment, id: string) => {
  const fault = moment.faultOf(id)
  const ageS = fault === "stale" ? staleAgeS : 0
  const timeMs = moment.timeMs - ageS * 1_000
  const quote = faulty(moment.pinnedQuote(id) ?? quoteAt(moment.seed, id, timeMs), fault)
  const publishTime = Math.floor(timeMs / 1_000)
  const shape = (price: bigint, conf: bigint) => ({
    price: String(price),
    conf: String(conf),
    expo: quote.expo,
    publish_time: publishTime
  })
  return {
    id,
    price: shape(quote.price, quote.conf),
    ema_price: shape(quote.emaPrice, quote.emaConf),
    metadata: {
      slot: 150_000_000 + (Math.floor(timeMs / 400) % 150_000_000),
      proof_available_time: publishTime + 1,
      prev_publish_time: publishTime - 1
    }
  }
}

/** A placeholder for the signed update: correct in its first bytes and its length, otherwise noise. */
const updateBytes = (seed: number, ids: ReadonlyArray<string>, timeMs: number): Buffer => {
  const bytes = Buffer.alloc(1_100 + 300 * ids.length)
  for (let at = 0; at < bytes.length; at += 4) {
    bytes.writeUInt32BE(hash32(`${seed}/${ids[0]}/${Math.floor(timeMs / 1_000)}/${at}`), at)
  }
  bytes.write("PNAU")
  return bytes
}

const priceUpdate = (moment: MarketMoment, ids: ReadonlyArray<string>, query: URLSearchParams): string => {
  const encoding = query.get("encoding") === "base64" ? "base64" : "hex"
  return JSON.stringify({
    binary: { encoding, data: [updateBytes(moment.seed, ids, moment.timeMs).toString(encoding)] },
    parsed: query.get("parsed") === "false" ? null : ids.map((id) => parsedPrice(moment, id))
  })
}

/** The response to `GET` of a target. Faults without a response (`hang`, `reset`) are applied by the server. */
export const answerOf = (moment: MarketMoment, target: string): ServiceAnswer => {
  const { path, query } = partsOf(target)
  if (path !== latestPricePath) return plain(404, "")
  const texts = idsOf(query)
  if (texts.length === 0) return plain(400, "Failed to deserialize query string: missing field `ids`")
  const ids = [...new Set(texts.flatMap((text) => canonicalId(text) ?? []))]
  if (!texts.every((text) => canonicalId(text) !== undefined)) {
    return plain(400, "Failed to deserialize query string: invalid price id")
  }
  const shown = new Set(ids.map(moment.faultOf))
  if (shown.has("tooManyRequests")) return plain(429, "Too Many Requests")
  if (shown.has("serverError")) return plain(500, "Internal Server Error")
  const missing = ids.filter((id) => moment.faultOf(id) === "missing")
  const ignoresMissing = query.get("ignore_invalid_price_ids") === "true"
  if (missing.length > 0 && !ignoresMissing) {
    return plain(404, `Price ids not found: ${missing.map((id) => `0x${id}`).join(", ")}`)
  }
  if (shown.has("notJson")) return { status: 200, contentType: "text/html", body: "<!doctype html><title>Busy</title>" }
  const present = ids.filter((id) => !["missing", "empty"].includes(moment.faultOf(id) ?? ""))
  const body = priceUpdate(moment, present, query)
  return json(shown.has("malformed") ? body.slice(0, -20) : body)
}
