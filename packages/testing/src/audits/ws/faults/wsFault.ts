/** A seeded fault of a WebSocket service, and the ways to make one. */
import { at } from "../../rest/call.ts"
import { closePayload, type Frame, opcodes, type ReceivedFrame } from "../../../wire/frames.ts"

/** Members of a message, open to change. */
export type Members = Record<string, unknown>

/** A fault on one connection; it may have state. */
export interface FaultyConnection {
  /** What is sent instead of one message of the service. */
  readonly message?: (message: Members) => ReadonlyArray<Members>
  /** What is sent instead of one frame; used only without `message`. */
  readonly frame?: (frame: Frame) => ReadonlyArray<Frame>
  /** What the service receives instead of one frame of its client. */
  readonly received?: (frame: ReceivedFrame) => ReadonlyArray<Frame>
  /** What the service receives instead of some bytes of its client; used only without `received`. */
  readonly receivedBytes?: (bytes: Buffer) => Buffer
}

/** One fault. */
export interface WsFault {
  readonly name: string
  /** The audit that must fail. */
  readonly foundBy: string
  readonly connection?: () => FaultyConnection
  /** A fault with state across connections: called once, and its result once per connection. */
  readonly connections?: () => () => FaultyConnection
  /** Changes the head of the HTTP request. */
  readonly requestHead?: (head: string) => string
  /** Changes the head of the HTTP response. */
  readonly head?: (head: string) => string
  /** Whether the service does not notice that a client has disconnected: its connection stays, and its pings are answered. */
  readonly keepsDeadConnections?: boolean
}

/** Whether a message is the notification `authorized`. */
export const isAuthorized = (message: Members): boolean => message["method"] === "authorized"
/** Whether a message is a reply. */
export const isReply = (message: Members): boolean => "id" in message
/** Whether a message is the notification `feed.result`. */
export const isResult = (message: Members): boolean => message["method"] === "feed.result"
/** Whether a message is the reply to `feed.start` or `feed.stop`. */
export const isStopReply = (message: Members): boolean => Object.keys(Object(message["result"])).join() === "feedId"

/** A fault without state. */
export const perMessage = (name: string, foundBy: string, message: (message: Members) => ReadonlyArray<Members>): WsFault => ({
  name,
  foundBy,
  connection: () => ({ message })
})

/** A fault that changes messages in place. */
export const editing = (name: string, foundBy: string, edit: (message: Members) => void): WsFault =>
  perMessage(name, foundBy, (message) => {
    edit(message)
    return [message]
  })

/** Changes the object at a path, if it is there. */
export const editingAt = (name: string, foundBy: string, path: ReadonlyArray<string>, edit: (members: Members) => void): WsFault =>
  editing(name, foundBy, (message) => {
    const place = at(message, ...path)
    if (typeof place === "object" && place !== null) edit(place as Members)
  })

/** A fault without state that changes frames. */
export const perFrame = (name: string, foundBy: string, frame: (frame: Frame) => ReadonlyArray<Frame>): WsFault => ({
  name,
  foundBy,
  connection: () => ({ frame })
})

/** A JSON object, and undefined for any other text. */
export const objectOf = (text: string): Members | undefined => {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === "object" && json !== null && !Array.isArray(json) ? (json as Members) : undefined
  } catch {
    return undefined
  }
}

/** A fault that changes the parameters of requests before the service reads them; those of a feed are in its `execute`, too. */
export const perRequest = (name: string, foundBy: string, edit: (params: Members, request: Members) => void): WsFault => ({
  name,
  foundBy,
  connection: () => ({
    received: (frame) => {
      const request = frame.opcode === opcodes.text ? objectOf(frame.payload.toString()) : undefined
      const params = request?.["params"]
      if (request === undefined || typeof params !== "object" || params === null) return [frame]
      edit(params as Members, request)
      return [{ ...frame, payload: JSON.stringify(request) }]
    }
  })
})

const codeOf = ({ payload }: Frame): number =>
  payload instanceof Uint8Array && payload.length >= 2 ? Buffer.from(payload).readUInt16BE() : 0

/** A fault that closes with another code instead of this one. */
export const otherClose = (name: string, foundBy: string, code: number): WsFault =>
  perFrame(name, foundBy, (frame) =>
    frame.opcode === opcodes.close && codeOf(frame) === code ? [{ ...frame, payload: closePayload(code === 1000 ? 1001 : 1000) }] : [frame]
  )

/** Delays one message until the next has passed. */
export const swapping = (name: string, foundBy: string, isLate: (message: Members) => boolean): WsFault => ({
  name,
  foundBy,
  connection: () => {
    let late: Members | undefined
    return {
      message: (message) => {
        if (late === undefined && isLate(message)) {
          late = message
          return []
        }
        const held = late === undefined ? [] : [late]
        late = undefined
        return [message, ...held]
      }
    }
  }
})

/** Changes the status of an HTTP response. */
export const withStatus =
  (from: number, to: number) =>
  (head: string): string =>
    head.replace(`HTTP/1.1 ${from}`, `HTTP/1.1 ${to}`)

/** A fault that changes the parameters of each `feed.result` in place. */
export const ofResults = (name: string, foundBy: string, edit: (params: Members) => void): WsFault =>
  editing(name, foundBy, (message) => {
    if (isResult(message)) edit(message["params"] as Members)
  })
