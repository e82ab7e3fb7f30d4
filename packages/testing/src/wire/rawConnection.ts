/** A raw TCP connection to an HTTP server: for endless uploads, resets and upgrade requests. */
import { connect, type Socket } from "node:net"
import { resetSocket } from "./resetSocket.ts"

/** How long liveness checks wait: ten times what a healthy server needs. */
export const patienceMs = 10_000

/** A complete HTTP response. Header names are lowercase. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A connection; every method is safe after the other side has closed. */
export interface RawConnection {
  /** Resolves to whether more can be written, once the other side has accepted the bytes, closed, or not read for long. */
  readonly write: (bytes: string | Uint8Array) => Promise<boolean>
  /** Stops reading from the network. */
  readonly stopReading: () => void
  readonly readOn: () => void
  /** Resolves to the response; to `undefined` if the connection closes, or `withinMs` passes, without one. */
  readonly answered: (withinMs: number) => Promise<RawAnswer | undefined>
  /** Drops the connection without a close frame. */
  readonly reset: () => void
}

/** Parses a response with a `content-length`; `undefined` while it is incomplete. */
export const readAnswer = (received: Buffer): RawAnswer | undefined => {
  const end = received.indexOf("\r\n\r\n")
  if (end < 0) return undefined
  const [statusLine = "", ...lines] = received.subarray(0, end).toString("latin1").split("\r\n")
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()])
  )
  const body = received.subarray(end + 4)
  const length = Number(headers["content-length"] ?? 0)
  if (body.length < length) return undefined
  return { status: Number(statusLine.split(" ")[1]), headers, body: body.subarray(0, length).toString("utf8") }
}

/** The events after which the condition is checked again. */
const turns = ["data", "drain", "close"] as const

/** Waits until `found` returns something, the socket closes, or the time limit passes. */
const until = <Found>(socket: Socket, withinMs: number, found: () => Found | undefined): Promise<Found | undefined> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (found() !== undefined || socket.destroyed) finish()
    }
    const finish = (): void => {
      clearTimeout(timer)
      for (const event of turns) socket.off(event, look)
      resolve(found())
    }
    const timer = setTimeout(finish, withinMs)
    for (const event of turns) socket.on(event, look)
    look()
  })

/** Opens a connection to the server of an `http:` address; rejects if there is none. */
export const openRawConnection = async (address: string): Promise<RawConnection> => {
  const { hostname, port } = new URL(address)
  const socket = connect({ host: hostname, port: Number(port === "" ? 80 : port) })
  let received: Buffer = Buffer.alloc(0)
  socket.on("data", (bytes: Buffer) => {
    received = Buffer.concat([received, bytes])
  })
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject))
  // A reset by the other side is a result, not a failure of the kit.
  socket.on("error", () => {})
  const answer = (): RawAnswer | undefined => readAnswer(received)
  return {
    write: async (bytes) => {
      if (!socket.writable) return false
      if (socket.write(bytes)) return true
      const taken = await until(socket, patienceMs, () => (socket.writableNeedDrain ? undefined : true))
      return taken === true && socket.writable
    },
    stopReading: () => void socket.pause(),
    readOn: () => void socket.resume(),
    answered: (withinMs) => until(socket, withinMs, answer),
    reset: () => resetSocket(socket)
  }
}
