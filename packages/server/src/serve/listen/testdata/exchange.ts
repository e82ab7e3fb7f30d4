/** One raw connection to a server, and everything that it sent back. */
import { connect } from "node:net"

/** What a server sent back on a connection. */
export interface Exchanged {
  readonly status: number
  readonly headers: string
  readonly body: string
  /** Whether the server ended the connection. */
  readonly isClosed: boolean
}

/** Parses the bytes so far as one answer. */
const read = (received: Buffer, isClosed: boolean): Exchanged => {
  const end = received.indexOf("\r\n\r\n")
  const headers = received.subarray(0, Math.max(end, 0)).toString("latin1").toLowerCase()
  const status = Number(/^http\/1\.1 ([0-9]{3})/.exec(headers)?.[1] ?? 0)
  return { status, headers, body: end < 0 ? "" : received.subarray(end + 4).toString("utf8"), isClosed }
}

const isWhole = ({ body, headers, status }: Exchanged): boolean =>
  status !== 0 && Buffer.byteLength(body) >= Number(/\ncontent-length: ([0-9]+)/.exec(headers)?.[1] ?? 0)

/** Writes `text` (one byte per character) and returns the answer when it is complete or the connection closed. */
export const exchange = (port: number, text: string): Promise<Exchanged> =>
  new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port })
    let received: Buffer = Buffer.alloc(0)
    socket
      .on("error", () => {})
      .on("data", (bytes: Buffer) => {
        received = Buffer.concat([received, bytes])
        const answer = read(received, false)
        if (!isWhole(answer)) return
        resolve(answer)
        socket.destroy()
      })
    socket.once("close", () => resolve(read(received, true)))
    socket.write(text, "latin1")
  })

/** Writes `head`, then `drop` repeatedly, until the server closes the connection or `patienceMs` have passed. */
export const trickle = (port: number, head: string, drop: string, patienceMs: number): Promise<Exchanged> =>
  new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port })
    let received: Buffer = Buffer.alloc(0)
    const writing = setInterval(() => socket.write(drop), 100)
    const giveUp = setTimeout(() => finish(false), patienceMs)
    const finish = (isClosed: boolean): void => {
      clearInterval(writing)
      clearTimeout(giveUp)
      socket.destroy()
      resolve(read(received, isClosed))
    }
    socket.on("error", () => {}).on("data", (bytes: Buffer) => (received = Buffer.concat([received, bytes])))
    socket.once("end", () => finish(true)).once("close", () => finish(true))
    socket.write(head)
  })
