/** A proxy between the audits and a service that gives the service a fault. */
import { connect, createServer, type Socket } from "node:net"
import type { AddressInfo } from "node:net"
import { encodeFrame, type Frame, FrameReader, opcodes } from "./frames.ts"
import type { FaultyConnection, Members, WsFault } from "./wsFaults.ts"

/** A proxy that listens. */
export interface FaultyProxy {
  /** The service's address, seen through the fault; without a slash at the end. */
  readonly baseUrl: string
  readonly close: () => void
}

const asText = (message: Members): Frame => ({ opcode: opcodes.text, payload: JSON.stringify(message), masked: false })

/** What is sent instead of one frame of the service. */
const faulty = (frame: Frame, { frame: ofFrame, message }: FaultyConnection): ReadonlyArray<Frame> => {
  if (message !== undefined && frame.opcode === opcodes.text) {
    return message(JSON.parse(String(frame.payload)) as Members).map(asText)
  }
  return ofFrame === undefined ? [frame] : ofFrame(frame)
}

/** Carries the service's side of one connection; bytes that are no WebSocket pass, their head with the fault. */
const carry = (upstream: Socket, client: Socket, fault: WsFault): void => {
  const reader = new FrameReader()
  const connection = fault.connection?.() ?? {}
  let head: Buffer | undefined = Buffer.alloc(0)
  let isWebSocket = false
  const carryFrames = (bytes: Buffer): void => {
    const frames = reader.push(bytes).map((frame) => (frame.opcode === opcodes.text ? { ...frame, payload: frame.payload.toString() } : frame))
    const sent = frames.flatMap((frame) => faulty(frame, connection)).map(encodeFrame)
    if (sent.length > 0 && client.writable) client.write(Buffer.concat(sent))
  }
  upstream.on("data", (bytes: Buffer) => {
    if (head === undefined) return isWebSocket ? carryFrames(bytes) : void client.write(bytes)
    head = Buffer.concat([head, bytes])
    const end = head.indexOf("\r\n\r\n")
    if (end < 0) return
    const text = head.subarray(0, end).toString("latin1")
    const rest = head.subarray(end + 4)
    isWebSocket = text.startsWith("HTTP/1.1 101")
    head = undefined
    client.write(`${fault.head?.(text) ?? text}\r\n\r\n`, "latin1")
    if (isWebSocket) carryFrames(rest)
    else client.write(rest)
  })
}

/** Puts a fault before a service. */
export const openFaultyProxy = async (serviceUrl: string, fault: WsFault): Promise<FaultyProxy> => {
  const { hostname, pathname, port } = new URL(serviceUrl)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect({ host: hostname, port: Number(port) })
    for (const [socket, other] of [[client, upstream], [upstream, client]] as const) {
      sockets.add(socket)
      socket.on("error", () => other.destroy()).on("end", () => other.end()).on("close", () => {
        sockets.delete(socket)
        other.destroySoon()
      })
    }
    client.on("data", (bytes: Buffer) => void upstream.write(bytes))
    carry(upstream, client, fault)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    }
  }
}
