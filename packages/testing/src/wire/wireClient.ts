/** A raw WebSocket client: it exposes every received frame and can send any bytes. */
import { connect, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import { type RawAnswer, readAnswer } from "./rawConnection.ts"
import { closePayload, encodeFrame, type Frame, FrameReader, opcodes, type ReceivedFrame } from "./frames.ts"
import { resetSocket } from "./resetSocket.ts"

/** The longest wait for anything: ten times what a healthy server needs. */
export const patienceMs = 20_000

/** A JSON message of the service, as received. */
export interface Message {
  readonly text: string
  readonly json: Readonly<Record<string, unknown>>
  /** When it was read, in milliseconds of this process's steady clock: it arrived then or before. */
  readonly atMs: number
}

/** How a connection ended: the service's close frame, or 1006 if it ended without one. */
export interface Ending {
  readonly code: number
  readonly reason: string
}

/** An open WebSocket. Waiting methods return `undefined` at the time limit or when the connection is closed. */
export interface WireClient {
  /** What was received, in order. */
  readonly frames: ReadonlyArray<ReceivedFrame>
  readonly messages: ReadonlyArray<Message>
  /** The subprotocol that the service selected; `undefined` if none. */
  readonly protocol: string | undefined
  readonly write: (bytes: Uint8Array) => void
  readonly send: (...frames: ReadonlyArray<Frame>) => void
  readonly sendText: (text: string) => void
  /** Sends bytes one at a time; what else is to be sent meanwhile, such as the answer to a ping, waits until they are out. */
  readonly trickle: (bytes: Uint8Array) => Promise<void>
  /** Waits until something is found in what was received. */
  readonly until: <Found>(found: () => Found | undefined, withinMs?: number) => Promise<Found | undefined>
  /** The reply with an id; of several, the first. */
  readonly reply: (id: string | null, withinMs?: number) => Promise<Message | undefined>
  readonly ended: (withinMs?: number) => Promise<Ending | undefined>
  /** Stops and resumes reading from the network. */
  readonly pause: () => void
  readonly resume: () => void
  /** Closes properly. */
  readonly bye: () => Promise<Ending | undefined>
  /** Drops the connection without a close frame. */
  readonly reset: () => void
}

/** How to open one. */
export interface Dial {
  /** `http://host:port/path`, or `https:`. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: string
  /** Whether a server's ping is answered. Default true. */
  readonly answersPings?: boolean
  /** The longest wait for anything, by default {@link patienceMs}. */
  readonly waitsForMs?: number
  /** How much may arrive, by default far more than any audit asks for: a service that never stops sending must not fill the kit's memory. */
  readonly mostBytes?: number
  /** Told what was sent and what came, one entry each. */
  readonly trace?: ((heard: string) => void) | undefined
}

/** The outcome: a client, or the HTTP response that refused it (`undefined`: there was none in time, or no proper one). */
export type Dialled = { readonly client: WireClient } | { readonly client?: undefined; readonly answer: RawAnswer | undefined }

const handshake = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" } as const

/** The key of the example in RFC 6455, section 1.3, and its answer. */
const sampleKey = "dGhlIHNhbXBsZSBub25jZQ=="
const sampleAccept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

const requestText = ({ headers = {}, method = "GET", url }: Dial): string => {
  const { host, pathname, search } = new URL(url)
  const all = { host, ...handshake, "sec-websocket-key": sampleKey, ...headers }
  const lines = Object.entries(all)
    .filter(([, value]) => value !== "")
    .map((line) => line.join(": "))
  return [`${method} ${pathname}${search} HTTP/1.1`, ...lines, "", ""].join("\r\n")
}

const openSocket = (url: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const { hostname, port, protocol } = new URL(url)
    const secure = protocol === "https:"
    const options = { host: hostname, port: Number(port === "" ? (secure ? 443 : 80) : port) }
    const socket = secure ? connectTls({ ...options, servername: hostname }) : connect(options)
    socket.once(secure ? "secureConnect" : "connect", () => resolve(socket)).once("error", reject)
  })

/** The head of the response and the bytes after it, once the head is complete. */
const headOf = (received: Buffer): { readonly head: string; readonly rest: Buffer } | undefined => {
  const end = received.indexOf("\r\n\r\n")
  return end < 0 ? undefined : { head: received.subarray(0, end).toString("latin1"), rest: received.subarray(end + 4) }
}

/** Opens a WebSocket; rejects if nothing listens there. A header with an empty value is omitted. */
export const dial = async (how: Dial): Promise<Dialled> => {
  const socket = await openSocket(how.url)
  // What is written in parts is sent in parts, and at once.
  socket.setNoDelay(true)
  // A reset by the other side is a result, not a failure of the kit.
  socket.on("error", () => {})
  how.trace?.(`> ${how.method ?? "GET"} ${how.url} upgrade: websocket`)
  socket.write(requestText(how))
  return new Promise((resolve) => {
    let received: Buffer = Buffer.alloc(0)
    const refuse = (answer: RawAnswer | undefined, otherwise = "closed without an answer"): void => {
      how.trace?.(`< ${answer?.status ?? otherwise}`)
      clearTimeout(timer)
      socket.destroy()
      resolve({ answer })
    }
    const read = (bytes: Buffer): void => {
      received = Buffer.concat([received, bytes])
      const whole = headOf(received)
      if (whole === undefined) return
      if (!whole.head.startsWith("HTTP/1.1 101")) {
        const answer = readAnswer(received)
        return answer === undefined ? undefined : refuse(answer)
      }
      if (!whole.head.includes(sampleAccept)) return refuse(undefined, "101 without the sec-websocket-accept of this request")
      clearTimeout(timer)
      socket.off("data", read).off("close", onClose)
      const client = new OpenClient(socket, how, /^sec-websocket-protocol: *(.*?) *$/im.exec(whole.head)?.[1])
      resolve({ client })
      client.take(whole.rest)
    }
    const onClose = (): void => refuse(readAnswer(received))
    const waitsForMs = how.waitsForMs ?? patienceMs
    const timer = setTimeout(() => refuse(undefined, `no answer within ${waitsForMs} ms`), waitsForMs)
    socket.on("data", read).once("close", onClose)
  })
}

const parsed = (text: string): Message["json"] => {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === "object" && json !== null ? (json as Message["json"]) : {}
  } catch {
    return {}
  }
}

class OpenClient implements WireClient {
  readonly frames: Array<ReceivedFrame> = []
  readonly messages: Array<Message> = []
  readonly protocol: string | undefined
  readonly #socket: Socket
  readonly #answersPings: boolean
  readonly #trace: Dial["trace"]
  readonly #waitsForMs: number
  readonly #mostBytes: number
  readonly #reader = new FrameReader()
  #receivedBytes = 0
  readonly #waiting = new Set<() => void>()
  readonly #replies = new Map<unknown, Message>()
  #ending: Ending | undefined
  #saidBye = false
  /** What waits for a trickle; undefined: there is none. */
  #held: Array<Uint8Array> | undefined

  constructor(
    socket: Socket,
    { answersPings = true, mostBytes = 256 * 1_048_576, trace, waitsForMs = patienceMs }: Dial,
    protocol: string | undefined
  ) {
    this.#socket = socket
    this.protocol = protocol
    this.#answersPings = answersPings
    this.#trace = trace
    this.#waitsForMs = waitsForMs
    this.#mostBytes = mostBytes
    socket.on("data", (bytes: Buffer) => this.take(bytes))
    socket.on("close", () => {
      this.#ending ??= { code: 1006, reason: "" }
      this.#look()
    })
  }

  /** Processes received bytes. */
  take(bytes: Buffer): void {
    this.#receivedBytes += bytes.length
    if (this.#receivedBytes > this.#mostBytes) {
      this.#ending ??= { code: 1006, reason: `closed by the kit: more than ${this.#mostBytes} bytes arrived` }
      this.#socket.destroy()
      return this.#look()
    }
    for (const frame of this.#reader.push(bytes)) this.#take(frame)
    this.#look()
  }

  #take(frame: ReceivedFrame): void {
    this.frames.push(frame)
    const { opcode, payload } = frame
    if (opcode === opcodes.text) {
      const text = payload.toString()
      this.#trace?.(`< ${text}`)
      const message = { text, json: parsed(text), atMs: performance.now() }
      this.messages.push(message)
      if ("id" in message.json && !this.#replies.has(message.json["id"])) this.#replies.set(message.json["id"], message)
    }
    if (opcode === opcodes.ping && this.#answersPings) this.send({ opcode: opcodes.pong, payload })
    if (opcode !== opcodes.close) return
    const code = payload.length < 2 ? 1005 : payload.readUInt16BE()
    this.#trace?.(`< close ${code} ${payload.subarray(2).toString()}`)
    this.#ending ??= { code, reason: payload.subarray(2).toString() }
    // Answered once, as RFC 6455, section 5.5.1 requires; the server then closes the connection.
    if (!this.#saidBye) this.send({ opcode: opcodes.close, payload: payload.subarray(0, 2) })
    this.#socket.end()
  }

  #look(): void {
    for (const look of this.#waiting) look()
  }

  write = (bytes: Uint8Array): void => {
    if (this.#held !== undefined) this.#held.push(bytes)
    else if (this.#socket.writable) this.#socket.write(bytes)
  }

  trickle = async (bytes: Uint8Array): Promise<void> => {
    const held: Array<Uint8Array> = []
    this.#held = held
    for (const byte of bytes) {
      if (this.#socket.writable) this.#socket.write(Uint8Array.of(byte))
      await new Promise((resolve) => setImmediate(resolve))
    }
    this.#held = undefined
    for (const one of held) this.write(one)
  }

  send = (...frames: ReadonlyArray<Frame>): void => this.write(Buffer.concat(frames.map(encodeFrame)))

  sendText = (payload: string): void => {
    this.#trace?.(`> ${payload}`)
    this.send({ opcode: opcodes.text, payload })
  }

  until = <Found>(found: () => Found | undefined, withinMs = this.#waitsForMs): Promise<Found | undefined> =>
    new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(look)
        resolve(found())
      }
      const look = (): void => {
        if (found() !== undefined || this.#ending !== undefined) finish()
      }
      const timer = setTimeout(finish, withinMs)
      this.#waiting.add(look)
      look()
    })

  reply = (id: string | null, withinMs?: number): Promise<Message | undefined> => this.until(() => this.#replies.get(id), withinMs)

  ended = (withinMs?: number): Promise<Ending | undefined> => this.until(() => this.#ending, withinMs)

  pause = (): void => void this.#socket.pause()

  resume = (): void => void this.#socket.resume()

  bye = (): Promise<Ending | undefined> => {
    this.#saidBye = true
    this.send({ opcode: opcodes.close, payload: closePayload(1000) })
    return this.ended()
  }

  reset = (): void => resetSocket(this.#socket)
}
