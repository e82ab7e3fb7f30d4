/** Subscribers of one shared feed, thousands of them in a process of their own: when each was sent each tick. */
import { WebSocket } from "ws"

const concurrent = 50

/** Milliseconds since the Unix epoch, with fractions. */
const nowMs = () => performance.timeOrigin + performance.now()

/** The number behind a name, without reading the whole message. */
const numberIn = (text, name) => {
  const at = text.indexOf(name)
  return at < 0 ? Number.NaN : Number.parseInt(text.slice(at + name.length), 10)
}

/** By tick: its time, and when each delivery was. */
const ticks = new Map()
const seen = { gaps: 0, holes: 0, errors: 0 }

const noteResult = (subscriber, text) => {
  const receivedMs = nowMs()
  const seq = numberIn(text, '"seq":')
  if (subscriber.lastSeq !== undefined && seq !== subscriber.lastSeq + 1) seen.holes += 1
  subscriber.lastSeq = seq
  if (text.includes('"error":')) seen.errors += 1
  const tick = ticks.get(seq) ?? { scheduledMs: numberIn(text, '"scheduledAt":'), receivedMs: [] }
  ticks.set(seq, tick)
  tick.receivedMs.push(receivedMs)
}

const subscribe = (url, key, request) =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace("http", "ws")}/ws/v1`, {
      headers: { authorization: `Bearer ${key}` },
      perMessageDeflate: false
    })
    const subscriber = { lastSeq: undefined }
    socket.once("error", reject)
    socket.on("close", (code, reason) => process.stderr.write(`closed with ${code} ${reason}\n`))
    socket.on("message", (frame) => {
      const text = frame.toString("latin1")
      if (text.includes('"method":"feed.result"')) noteResult(subscriber, text)
      else if (text.includes('"method":"authorized"')) socket.send(request)
      else if (text.includes('"method":"feed.gap"')) seen.gaps += 1
      else if (text.includes('"result"')) resolve()
      else reject(new Error(text))
    })
  })

const open = async ({ count, key, request, url }) => {
  let opened = 0
  const openNext = async () => {
    while (opened < count) {
      opened += 1
      await subscribe(url, key, request)
    }
  }
  await Promise.all(Array.from({ length: concurrent }, openNext))
}

process.on("message", (message) => {
  if (message.open !== undefined) void open(message.open).then(() => process.send("open"))
  else if (message === "begin") {
    ticks.clear()
    Object.assign(seen, { gaps: 0, holes: 0, errors: 0 })
  } else process.send({ ...seen, ticks: [...ticks] })
})
process.once("disconnect", () => process.exit())
