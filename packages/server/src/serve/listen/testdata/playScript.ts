/** Plays one connection's script against a server and reports what the server did wrong, if anything. */
import { connect, type Socket } from "node:net"
import type { WireScript } from "./wireScript.ts"

/** How long an answer may take before it counts as lost: longer than a server stands still where others have the processors. */
const patienceMs = 60_000

/** The statuses that a server has sent so far. What follows a switch of protocols is not HTTP. */
const statusesIn = (received: Buffer, due: WireScript["due"]): ReadonlyArray<number> => {
  const statuses: Array<number> = []
  for (let at = 0; ;) {
    const end = received.indexOf("\r\n\r\n", at)
    if (end < 0) return statuses
    const head = received.subarray(at, end).toString("latin1")
    const status = Number(/^HTTP\/1\.[01] ([0-9]{3})/.exec(head)?.[1] ?? -1)
    const length = due[statuses.length]?.isHead === true ? 0 : Number(/\r\ncontent-length: ([0-9]+)/i.exec(head)?.[1] ?? 0)
    if (received.length < end + 4 + length) return statuses
    statuses.push(status)
    if (status === 101 || status === -1) return statuses
    at = end + 4 + length
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const write = async (socket: Socket, { writes }: WireScript): Promise<void> => {
  for (const { pauseMs, text } of writes) {
    if (pauseMs > 0) await pause(pauseMs)
    if (!socket.writable) return
    socket.write(text, "latin1")
  }
}

const leave = (socket: Socket, { leaving, seed }: WireScript): Promise<void> | void => {
  if (leaving === "halfClosed") return void socket.end()
  return pause(seed % 8).then(() => void (leaving === "reset" ? socket.resetAndDestroy() : socket.destroy()))
}

/** The fault in the answers, in one line. */
const violationOf = ({ certain, due }: WireScript, statuses: ReadonlyArray<number>, isClosed: boolean): string | undefined => {
  const expected = due.map(({ status }) => status)
  const shown = `${isClosed ? "closed after " : ""}answers [${statuses.join(" ")}] to [${expected.join(" ")}]`
  if (statuses.length < certain) return `${shown}: ${certain} are due`
  // Expected answers come in order; garbage after them may get any answer.
  const wrong = statuses.slice(0, due.length).some((status, index) => status !== expected[index])
  return wrong && certain > 0 ? `${shown}: wrong or out of order` : undefined
}

/** Resolves when the connection is closed, to the fault in one line. */
export const playScript = async (port: number, script: WireScript): Promise<string | undefined> => {
  const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: true })
  const parts: Array<Buffer> = []
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
  const isComplete = (): boolean => statusesIn(Buffer.concat(parts), script.due).length >= script.certain
  const answered = new Promise<void>((resolve) => {
    socket.on("data", (bytes: Buffer) => {
      parts.push(bytes)
      if (script.certain > 0 && isComplete()) resolve()
    })
  })
  // Resets are expected.
  socket.on("error", () => {}).once("end", () => socket.end())
  await new Promise<void>((resolve) => socket.once("connect", resolve).once("close", () => resolve()))
  await write(socket, script)
  if (script.leaving !== "whenAnswered") await leave(socket, script)
  const waited = script.certain > 0 ? patienceMs : 100
  await Promise.race([closed, answered, pause(waited)])
  const isClosed = socket.closed
  socket.destroy()
  return violationOf(script, statusesIn(Buffer.concat(parts), script.due), isClosed)
}
