/** A process that answers every request after 20 ms with the price of today's market; it prints its port. */
import { createServer } from "node:http"
import { startMarket } from "@sibyl/devkit/market"

const market = await startMarket({ seed: 1 })
const asked = new Map()

/** The market is asked once for each target, and again when its answer gets old. */
const priceOf = async (target) => {
  const known = asked.get(target)
  if (known !== undefined && Date.now() - known.atMs < 10_000) return known.body
  const response = await fetch(new URL(target, market.url))
  const body = Buffer.from(await response.arrayBuffer())
  asked.set(target, { body, atMs: Date.now() })
  return body
}

const server = createServer((request, response) => {
  const answer = (body) => response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body)
  setTimeout(() => void priceOf(request.url).then(answer), 20)
})
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`))
