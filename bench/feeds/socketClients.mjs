/** The clients of the case with many sockets, in their own process, so that they do not use the service's processor time. */
import { WebSocket } from "ws"
import { startRequest } from "./benchService.mjs"
import { Lateness, watch } from "./lateness.mjs"
import { rest, startEvenly } from "./startEvenly.mjs"

/** After the measurement the connections may end, because the service's process exits first. */
let isMeasured = false

/** A feed beyond what the service can carry has its runs refused: they do not count as started. */
const errors = { count: 0, first: "" }

const noteError = (text) => {
  if (errors.count === 0) errors.first = text.slice(0, 300)
  errors.count += 1
}

const connect = (port, key, lateness) =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/v1`, {
      headers: { authorization: `Bearer ${key}` },
      perMessageDeflate: false
    })
    socket.once("error", reject)
    socket.on("close", (code, reason) => {
      if (!isMeasured) process.stderr.write(`closed with ${code} ${reason}\n`)
    })
    socket.on("message", (frame) => {
      const text = String(frame)
      if (text.includes(`"method":"authorized"`)) resolve(socket)
      else if (text.includes(`"error":`)) noteError(text)
      else lateness.addFrame(text)
    })
  })

/** Opens the connections, starts the feeds, measures and reports to the service's process. */
const measure = async ({ connections, connectionsPerKey, hasOwnInputs, keys, port, programId, seconds, startSeconds }) => {
  const lateness = new Lateness()
  const sockets = []
  for (let at = 0; at < connections; at += 1) {
    sockets.push(await connect(port, keys[Math.floor(at / connectionsPerKey)], lateness))
  }
  await startEvenly(connections, startSeconds, (at) =>
    sockets[at].send(startRequest(String(at), programId, hasOwnInputs ? { execute: { execInputs: { id: String(at) } } } : {}))
  )
  await rest(3_000)
  process.send("measuring")
  const { maxMs, p50Ms, p99Ms, runs, startedShare } = await watch(lateness, seconds, connections, () => process.send("measured"))
  isMeasured = true
  if (errors.count > 0) process.stderr.write(`${errors.count} errors, the first: ${errors.first}\n`)
  process.send({ feeds: connections, maxMs, p50Ms, p99Ms, runs, startedShare })
}

process.once("disconnect", () => process.exit())
process.once("message", (settings) => void measure(settings))
