/**
 * The load: connections that send a request, wait for the complete response and repeat; counts and times the answers for some seconds.
 * Any answer but 200 ends it with an error; with `mayRefuse`, a 503 is counted apart.
 */
import { connect } from "node:net"

const { authorization, connections = 32, mayRefuse = false, path, pauseMs = 0, port, seconds, warmUpMs = 300 } = JSON.parse(process.argv[2])

const requestOf = (target, key) =>
  Buffer.from(`GET ${target} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: ${key}\r\nconnection: keep-alive\r\n\r\n`)

/** With several paths, or several keys, connections use them in turns. */
const [paths, keys] = [[path].flat(), [authorization].flat()]

let isMeasuring = false
/** With those of the warm-up. */
let answered = 0
let refused = 0
let broken
const latenciesMs = []
/** Connections that were answered: a busy server of Node accepts one in each turn of its event loop. */
const warm = new Set()

/** The end of a response is found by its content-length, or by the last chunk. */
const ask = (request) => {
  const socket = connect(port, "127.0.0.1")
  socket.setNoDelay(true)
  let text = ""
  let sentAt = 0
  const send = () => {
    sentAt = performance.now()
    socket.write(request)
  }
  socket.on("connect", send)
  socket.on("error", (error) => (broken = error.message))
  socket.setEncoding("latin1")
  socket.on("data", (chunk) => {
    text += chunk
    const head = text.indexOf("\r\n\r\n")
    if (head < 0) return
    const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, head))?.[1]
    const isWhole = length === undefined ? text.endsWith("0\r\n\r\n") : text.length >= head + 4 + Number(length)
    if (!isWhole) return
    const status = text.slice(9, 12)
    const isRefusal = mayRefuse && status === "503"
    if (status !== "200" && !isRefusal) broken = text.slice(0, 200)
    text = ""
    answered += 1
    warm.add(socket)
    if (isMeasuring && isRefusal) refused += 1
    else if (isMeasuring) latenciesMs.push(performance.now() - sentAt)
    if (pauseMs === 0) send()
    else setTimeout(send, pauseMs)
  })
}

for (let at = 0; at < connections; at += 1) ask(requestOf(paths[at % paths.length], keys[at % keys.length]))
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

// Time for the connections to open and the server to warm up.
await pause(warmUpMs)
for (let waitedMs = 0; warm.size < connections && waitedMs < 30_000; waitedMs += 50) await pause(50)
const before = performance.now()
isMeasuring = true
await pause(seconds * 1_000)
const rate = (latenciesMs.length * 1_000) / (performance.now() - before)
if (broken !== undefined) {
  process.stderr.write(`${broken}\n`)
  process.exit(1)
}
latenciesMs.sort((left, right) => left - right)
const quantile = (share) => latenciesMs[Math.min(latenciesMs.length - 1, Math.floor(share * latenciesMs.length))]
process.send({ rate, answered, refused, p50Ms: quantile(0.5), p99Ms: quantile(0.99) }, () => process.exit())
