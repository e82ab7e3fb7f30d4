/** A proxy between the audits and a service that adds a fault to the service. */
import { connect, createServer, type Socket } from "node:net"
import type { AddressInfo } from "node:net"
import { encodeFrame, type Frame, FrameReader, opcodes, readFrame, wholeSize } from "../../../wire/frames.ts"
import type { FaultyConnection, Members, WsFault } from "./wsFault.ts"

/** A listening proxy. */
export interface FaultyProxy {
  /** The service's address through the proxy, without a trailing slash. */
  readonly baseUrl: string
  readonly close: () => void
}

/** One connection of a client, and the proxy's connection to the service. */
interface Pair {
  readonly client: Socket
  readonly service: Socket
  /** Called for each change that the fault makes. */
  readonly touched: () => void
}

const textFrame = (payload: string): Frame => ({ opcode: opcodes.text, payload, masked: false })

const isOnly = (texts: ReadonlyArray<string>, text: string): boolean => texts.length === 1 && texts[0] === text

/** What is sent instead of one frame of the service. */
const faulty = (frame: Frame, { frame: ofFrame, message }: FaultyConnection, touched: () => void): ReadonlyArray<Frame> => {
  if (message !== undefined && frame.opcode === opcodes.text) {
    const parsed: Members = JSON.parse(String(frame.payload))
    const asItWas = JSON.stringify(parsed)
    const texts = message(parsed).map((changed) => JSON.stringify(changed))
    if (!isOnly(texts, asItWas)) touched()
    return texts.map(textFrame)
  }
  if (ofFrame === undefined) return [frame]
  const frames = ofFrame(frame)
  if (!encodeFrame(frame).equals(Buffer.concat(frames.map(encodeFrame)))) touched()
  return frames
}

/** Forwards bytes; a slow receiver slows the sender down. */
const pass = (from: Socket, to: Socket, bytes: Uint8Array): void => {
  if (bytes.length === 0 || !to.writable || to.write(bytes)) return
  from.pause()
  to.once("drain", () => from.resume())
}

/** Splits the received bytes into the head of the first HTTP message, passed once it is complete, and the bytes after it. */
const behindHead = (onHead: (head: string) => void, onRest: (bytes: Buffer) => void): ((bytes: Buffer) => void) => {
  let head: Buffer | undefined = Buffer.alloc(0)
  return (bytes) => {
    if (head === undefined) return onRest(bytes)
    head = Buffer.concat([head, bytes])
    const end = head.indexOf("\r\n\r\n")
    if (end < 0) return
    const whole = head
    head = undefined
    onHead(whole.subarray(0, end).toString("latin1"))
    if (whole.length > end + 4) onRest(whole.subarray(end + 4))
  }
}

/** Forwards the service's side of one connection; bytes that are not WebSocket frames pass unchanged, except for the head. */
const carryAnswers = ({ client, service, touched }: Pair, fault: WsFault, connection: FaultyConnection): void => {
  const reader = new FrameReader()
  let isWebSocket = false
  const send = (bytes: Uint8Array): void => pass(service, client, bytes)
  const carryFrames = (bytes: Buffer): void => {
    const frames = reader
      .push(bytes)
      .map((frame) => (frame.opcode === opcodes.text ? { ...frame, payload: frame.payload.toString() } : frame))
    if (client.destroyed) {
      const pongs = frames
        .filter(({ opcode }) => opcode === opcodes.ping)
        .map((frame) => ({ ...frame, opcode: opcodes.pong, masked: true }))
      for (const pong of pongs) service.write(encodeFrame(pong))
    } else {
      send(Buffer.concat(frames.flatMap((frame) => faulty(frame, connection, touched)).map(encodeFrame)))
    }
  }
  const onHead = (head: string): void => {
    isWebSocket = head.startsWith("HTTP/1.1 101")
    const given = fault.head?.(head) ?? head
    if (given !== head) touched()
    client.write(`${given}\r\n\r\n`, "latin1")
  }
  service.on(
    "data",
    behindHead(onHead, (bytes) => (isWebSocket ? carryFrames(bytes) : send(bytes)))
  )
}

/** Changes a client's bytes. */
const changedBytes =
  (change: FaultyConnection["receivedBytes"], touched: () => void) =>
  (bytes: Buffer): Buffer => {
    const given = change?.(bytes) ?? bytes
    if (!bytes.equals(given)) touched()
    return given
  }

/** No fault is in longer frames, and a client may never send what it has claimed: from such a frame on, bytes pass as they come. */
const maxFrameBytes = 1_048_576

/** Changes a client's frames. Those that the fault leaves alone pass byte by byte, because they may be invalid on purpose. */
const changedFrames = (change: NonNullable<FaultyConnection["received"]>, touched: () => void): ((bytes: Buffer) => Buffer) => {
  let waiting: Buffer = Buffer.alloc(0)
  let isOpaque = false
  return (bytes) => {
    if (isOpaque) return bytes
    waiting = Buffer.concat([waiting, bytes])
    const given: Array<Buffer> = []
    for (let read = readFrame(waiting); read !== undefined; read = readFrame(waiting)) {
      const { frame, size } = read
      const frames = change(frame)
      const isChanged = !encodeFrame(frame).equals(Buffer.concat(frames.map(encodeFrame)))
      if (isChanged) touched()
      given.push(...(isChanged ? frames.map((changed) => encodeFrame({ ...changed, masked: true })) : [waiting.subarray(0, size)]))
      waiting = waiting.subarray(size)
    }
    isOpaque = waiting.length >= 10 && wholeSize(waiting) > maxFrameBytes
    return Buffer.concat(isOpaque ? [...given, waiting] : given)
  }
}

/** Forwards the client's side of one connection. */
const carryRequests = ({ client, service, touched }: Pair, fault: WsFault, { received, receivedBytes }: FaultyConnection): void => {
  const change = received === undefined ? changedBytes(receivedBytes, touched) : changedFrames(received, touched)
  let isWebSocket = false
  const onHead = (head: string): void => {
    isWebSocket = /^upgrade: *websocket/im.test(head)
    const given = fault.requestHead?.(head) ?? head
    if (given !== head) touched()
    service.write(`${given}\r\n\r\n`, "latin1")
  }
  const carry = (bytes: Buffer): void => {
    if (!isWebSocket) return pass(client, service, bytes)
    pass(client, service, change(bytes))
  }
  client.on("data", behindHead(onHead, carry))
}

/** Ends both sides together, unless the fault hides the end from the service. */
const endTogether = ({ client, service, touched }: Pair, fault: WsFault, sockets: Set<Socket>): void => {
  for (const [socket, other] of [
    [client, service],
    [service, client]
  ] as const) {
    const isHidden = fault.keepsDeadConnections === true && socket === client
    sockets.add(socket)
    socket
      .on("error", () => (isHidden ? undefined : other.destroy()))
      .on("end", () => other.end())
      .on("close", () => {
        sockets.delete(socket)
        if (isHidden) touched()
        else other.destroySoon()
      })
  }
}

/** Puts a fault in front of a service; `touched` is called for each change that the fault makes. */
export const openFaultyProxy = async (serviceUrl: string, fault: WsFault, touched: () => void = () => {}): Promise<FaultyProxy> => {
  const { hostname, pathname, port } = new URL(serviceUrl)
  const sockets = new Set<Socket>()
  const makeConnection = fault.connections?.() ?? fault.connection
  // Without a delay: single bytes would otherwise wait for the acknowledgement of the one before, 40 ms each.
  const server = createServer({ noDelay: true }, (client) => {
    const pair = { client, service: connect({ host: hostname, port: Number(port), noDelay: true }), touched }
    const connection = makeConnection?.() ?? {}
    endTogether(pair, fault, sockets)
    carryRequests(pair, fault, connection)
    carryAnswers(pair, fault, connection)
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
