/** One case, in its own process: B11, the messages per second of one connection, many sent together against one write each. */
import { createServer } from "node:http"
import { Worker } from "node:worker_threads"
import { attachUpgrades } from "@sibyl/adapter-express"

/** A `feed.result` of the same length as those of the crypto-price program. */
const frame = JSON.stringify({ jsonrpc: "2.0", method: "feed.result", params: { text: "x".repeat(1_150) } })
const small = JSON.stringify({ jsonrpc: "2.0", method: "feed.result", params: { text: "x".repeat(40) } })

/** A service that accepts every connection and passes its socket to `opened`. */
const serviceOf = (opened) => ({
  fetch: async () => undefined,
  upgrade: async () => (socket) => {
    const drained = []
    opened(socket, () => new Promise((resolve) => drained.push(resolve)))
    return {
      message: () => {},
      pong: () => {},
      closed: () => {},
      drain: () => drained.splice(0).forEach((resume) => resume())
    }
  },
  dispose: async () => {}
})

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** The bytes of one unmasked text frame (RFC 6455, section 5.2). */
const frameBytes = (text) => text.length + (text.length < 126 ? 2 : 4)

/** Sends for some milliseconds, together or one by one, until everything has arrived at the other end. */
const rate = async ({ forMs, text, together }) => {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  const opened = new Promise((resolve) =>
    attachUpgrades(
      server,
      serviceOf((socket, drain) => resolve({ socket, drain }))
    )
  )
  const seen = new BigInt64Array(new SharedArrayBuffer(8))
  const sink = new Worker(new URL("byteSink.mjs", import.meta.url), {
    workerData: { port: server.address().port, seen }
  })
  const { drain, socket } = await opened
  await new Promise((resolve) => setTimeout(resolve, 100))
  const handshakeBytes = Number(Atomics.load(seen, 0))
  const frames = Array.from({ length: 1_000 }, () => text)
  const before = performance.now()
  let sent = 0
  while (performance.now() - before < forMs) {
    if (together) socket.sendTexts(frames)
    else for (const one of frames) socket.sendTexts([one])
    sent += frames.length
    await (socket.bufferedAmount() > 4_000_000 ? drain() : turn())
  }
  const expected = handshakeBytes + sent * frameBytes(text)
  while (Number(Atomics.load(seen, 0)) < expected) await turn()
  const perSecond = (sent * 1_000) / (performance.now() - before)
  await sink.terminate()
  server.closeAllConnections()
  server.close()
  return perSecond
}

const result = {}
for (const [name, text] of [
  ["long", frame],
  ["small", small]
]) {
  const rates = { together: [], single: [] }
  // The cases alternate, so that other load on the machine affects both.
  for (let round = 0; round < 9; round += 1) {
    rates.together.push(await rate({ forMs: 500, text, together: true }))
    rates.single.push(await rate({ forMs: 500, text, together: false }))
  }
  const median = (list) => list.toSorted((left, right) => left - right)[Math.floor(list.length / 2)]
  result[name] = { bytes: text.length, together: median(rates.together), single: median(rates.single) }
}
process.stdout.write(JSON.stringify(result))
process.exit()
