/**
 * The load of the soak, a process of its own: starts requests at a fixed rate, whether or not earlier ones are answered. It counts answers
 * by status and those without what they need (`Retry-After`), and tells once a second what came since.
 */
import { connect } from "node:net"

const { body, keys, maxConnections, patienceMs, port, rate, seconds } = JSON.parse(process.argv[2])

const tickMs = 5

const requests = keys.map((key) =>
  Buffer.from(
    `POST /execute HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )
)

/**
 * Of the whole load. `late`: not answered within the patience of a client. `unsent`: every connection was in use. `again`: sent on another
 * connection, because the server had closed an idle one. */
const totals = { sent: 0, unsent: 0, late: 0, again: 0, broken: 0, withoutRetryAfter: 0, statuses: {} }
const okMs = []
const refusedMs = []
const faults = new Map()
const idle = []
let open = 0

const fault = (text) => {
  totals.broken += 1
  faults.set(text, (faults.get(text) ?? 0) + 1)
}

const count = (head, sentAt) => {
  const status = head.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length)
  totals.statuses[status] = (totals.statuses[status] ?? 0) + 1
  const tookMs = performance.now() - sentAt
  if (tookMs > patienceMs) totals.late += 1
  if (status === "200") okMs.push(tookMs)
  else {
    refusedMs.push(tookMs)
    if (!/\r\nretry-after: *\d+/i.test(head)) totals.withoutRetryAfter += 1
  }
}

/** A connection, which is `idle` between its requests. */
const dial = (request) => {
  const socket = connect(port, "127.0.0.1")
  let text = ""
  let sentAt = 0
  let lastRequest = request
  let isReused = false
  let code = "closed before the answer"
  const client = {
    send: (bytes) => {
      lastRequest = bytes
      totals.sent += 1
      sentAt = performance.now()
      socket.write(bytes)
    }
  }
  open += 1
  socket.setNoDelay(true).setEncoding("latin1")
  socket.on("error", (error) => (code = error.code ?? error.message))
  socket.on("close", () => {
    open -= 1
    const at = idle.indexOf(client)
    if (at >= 0) idle.splice(at, 1)
    if (sentAt === 0) return
    // The server closes connections that wait; a request on its way then was not read, and a client sends it again.
    if (isReused) {
      totals.sent -= 1
      totals.again += 1
      dial(lastRequest)
    } else fault(code)
  })
  socket.on("data", (chunk) => {
    text += chunk
    const end = text.indexOf("\r\n\r\n")
    if (end < 0) return
    const head = text.slice(0, end)
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? Number.NaN)
    if (Number.isNaN(length) ? !text.endsWith("0\r\n\r\n") : text.length < end + 4 + length) return
    text = ""
    isReused = true
    count(head, sentAt)
    sentAt = 0
    if (/\r\nconnection: *close/i.test(head)) socket.end()
    else idle.push(client)
  })
  client.send(request)
}

let turn = 0
const start = () => {
  const request = requests[turn++ % requests.length]
  const client = idle.pop()
  if (client !== undefined) client.send(request)
  else if (open < maxConnections) dial(request)
  else totals.unsent += 1
}

const quantile = (list, share) => {
  const sorted = list.toSorted((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
}

const beganAt = performance.now()
let started = 0
const timer = setInterval(() => {
  const due = Math.floor(((performance.now() - beganAt) / 1_000) * rate)
  for (; started < due; started += 1) start()
}, tickMs)

await new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
clearInterval(timer)
const lastMs = performance.now()
const answered = () => Object.values(totals.statuses).reduce((sum, each) => sum + each, 0)
// What is under way is answered, or it is missing.
const answeredInTime = answered()
while (answered() + totals.broken < totals.sent && performance.now() - lastMs < 60_000)
  await new Promise((resolve) => setTimeout(resolve, 50))
process.send(
  {
    ...totals,
    seconds: (lastMs - beganAt) / 1_000,
    answeredInTime,
    unanswered: totals.sent - answered() - totals.broken,
    connections: open,
    faults: [...faults],
    ok: { p50Ms: quantile(okMs, 0.5), p99Ms: quantile(okMs, 0.99) },
    refused: { p50Ms: quantile(refusedMs, 0.5), p99Ms: quantile(refusedMs, 0.99) }
  },
  () => process.exit()
)
