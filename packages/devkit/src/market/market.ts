/** A price market on loopback: a seeded price service for programs, with configurable latency and faults. */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { MarketFault } from "./marketFault.ts"
import type { Quote } from "./priceModel.ts"
import { answerOf, type MarketMoment, requestedIds } from "./priceService.ts"

/** Options of a market. */
export interface MarketOptions {
  /** The same seed, feed and time give the same price. */
  readonly seed: number
  /** Before every answer, in milliseconds. Default 0. */
  readonly latencyMs?: number
  /** The market's clock in epoch milliseconds. Default: the machine's. */
  readonly now?: () => number
  /** The loopback port. Default: any free one. */
  readonly port?: number
}

/** One request that the market has received. */
export interface MarketRequest {
  readonly timeMs: number
  readonly method: string
  /** Path and query as received. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
}

/** A price that replaces the model's: `price` · 10^`expo` US dollars. */
export interface PinnedPrice {
  readonly price: bigint
  readonly expo: number
}

/** A running market. */
export interface Market {
  /** The service's origin, such as `http://127.0.0.1:49152`. */
  readonly url: string
  /** Sets the fault of some feeds, or of all if none are named; `undefined` removes it. */
  readonly setFault: (fault: MarketFault | undefined, ids?: ReadonlyArray<string>) => void
  /** Pins the price of a feed; `undefined` lets it move again. */
  readonly setPrice: (id: string, price: PinnedPrice | undefined) => void
  readonly setLatencyMs: (latencyMs: number) => void
  /** The requests so far, oldest first; the newest {@link keptRequests} are kept. */
  readonly requests: () => ReadonlyArray<MarketRequest>
  /** Cuts every connection and ends the service. */
  readonly close: () => Promise<void>
}

/** How many requests a market keeps. */
export const keptRequests = 10_000

const canonical = (id: string): string => id.replace(/^0x/i, "").toLowerCase()

/** The settings that can change while the market runs. */
class Settings {
  latencyMs: number
  #everyFault: MarketFault | undefined
  readonly #faults = new Map<string, MarketFault>()
  readonly #pinned = new Map<string, Quote>()

  constructor(latencyMs: number) {
    this.latencyMs = latencyMs
  }

  readonly faultOf = (id: string): MarketFault | undefined => this.#faults.get(id) ?? this.#everyFault

  readonly pinnedQuote = (id: string): Quote | undefined => this.#pinned.get(id)

  setFault(fault: MarketFault | undefined, ids: ReadonlyArray<string> | undefined): void {
    if (ids === undefined) {
      this.#everyFault = fault
      this.#faults.clear()
    }
    for (const id of ids ?? []) {
      if (fault === undefined) this.#faults.delete(canonical(id))
      else this.#faults.set(canonical(id), fault)
    }
  }

  setPrice(id: string, pinned: PinnedPrice | undefined): void {
    if (pinned === undefined) this.#pinned.delete(canonical(id))
    else this.#pinned.set(canonical(id), { ...pinned, conf: 1n, emaPrice: pinned.price, emaConf: 1n })
  }
}

/** Answers one request, or applies the fault that prevents an answer. */
const respond = (moment: MarketMoment, method: string, target: string, response: ServerResponse): void => {
  const faults = new Set(requestedIds(target).map(moment.faultOf))
  if (faults.has("hang")) return
  if (method !== "GET") {
    response.writeHead(405, { allow: "GET" }).end()
    return
  }
  const answer = answerOf(moment, target)
  const length = Buffer.byteLength(answer.body)
  response.writeHead(answer.status, { "content-type": answer.contentType, "content-length": length })
  if (!faults.has("reset")) {
    response.end(answer.body)
    return
  }
  response.write(answer.body.slice(0, answer.body.length / 2), () => response.destroy())
}

/** Starts a market on loopback. Close it, or it keeps the process alive. */
export const startMarket = async (options: MarketOptions): Promise<Market> => {
  const now = options.now ?? Date.now
  const settings = new Settings(options.latencyMs ?? 0)
  const seen: Array<MarketRequest> = []
  const timers = new Set<NodeJS.Timeout>()

  const server = createServer((request, response) => {
    const { method = "", url: target = "" } = request
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    seen.push({ timeMs: now(), method, target, headers })
    if (seen.length > keptRequests * 2) seen.splice(0, seen.length - keptRequests)
    request.resume()
    const answer = (): void => {
      const { faultOf, pinnedQuote } = settings
      respond({ seed: options.seed, timeMs: now(), faultOf, pinnedQuote }, method, target, response)
    }
    if (settings.latencyMs === 0) return answer()
    const timer = setTimeout(() => {
      timers.delete(timer)
      answer()
    }, settings.latencyMs)
    timers.add(timer)
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(options.port ?? 0, "127.0.0.1", resolve)
  })

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setFault: (fault, ids) => settings.setFault(fault, ids),
    setPrice: (id, price) => settings.setPrice(id, price),
    setLatencyMs: (latencyMs) => {
      settings.latencyMs = latencyMs
    },
    requests: () => seen.slice(-keptRequests),
    close: () =>
      new Promise((resolve) => {
        for (const timer of timers) clearTimeout(timer)
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
