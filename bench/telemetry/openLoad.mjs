/** Load in short turns over connections that stay open: to open them takes longer than a turn. */
import { connect } from "node:net"

const connections = 32

/** One connection, which asks again and again while the turn lasts. */
class Asker {
  #socket
  #request
  #head = ""
  /** Bytes of the body that are still to come; less than 0 within the head. */
  #left = -1

  constructor(socket, request) {
    this.#socket = socket
    this.#request = request
  }

  ask() {
    this.#socket.write(this.#request)
  }

  /** Whether the answer has ended. */
  take(chunk) {
    if (this.#left < 0) {
      this.#head += chunk.toString("latin1")
      const end = this.#head.indexOf("\r\n\r\n")
      if (end < 0) return false
      if (!this.#head.startsWith("HTTP/1.1 200 ")) throw new Error(this.#head.slice(0, 300))
      this.#left = Number(/\r\ncontent-length: *(\d+)/i.exec(this.#head)[1]) - (this.#head.length - end - 4)
      this.#head = ""
    } else {
      this.#left -= chunk.length
    }
    if (this.#left > 0) return false
    this.#left = -1
    return true
  }
}

/** Opens the connections to one service; what it returns asks on all of them for some milliseconds, and tells how many were answered. */
export const openLoad = async ({ authorization, path, url }) => {
  const port = Number(new URL(url).port)
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: ${authorization}\r\n\r\n`)
  let isGoing = false
  let answered = 0
  let underWay = 0
  let ended
  const open = () =>
    new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1")
      socket.setNoDelay(true)
      const asker = new Asker(socket, request)
      socket.once("error", reject)
      socket.once("connect", () => resolve(asker))
      socket.on("data", (chunk) => {
        if (!asker.take(chunk)) return
        answered += 1
        if (isGoing) return asker.ask()
        underWay -= 1
        if (underWay === 0) ended()
      })
    })
  const askers = await Promise.all(Array.from({ length: connections }, open))
  return (turnMs) =>
    new Promise((resolve) => {
      const before = answered
      ended = () => resolve(answered - before)
      isGoing = true
      underWay = askers.length
      for (const asker of askers) asker.ask()
      setTimeout(() => {
        isGoing = false
      }, turnMs)
    })
}
