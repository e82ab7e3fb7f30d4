/** Ways to tamper with a service between it and its clients: requests, answers, and messages of both sides. */
import type { Opening, Peer, Service, ServiceRequest, ServiceResponse, Socket } from "@sibyl/core"

/** A JSON object, open to change. */
export type Members = Record<string, unknown>

/** A message of the service on one connection: what is sent instead. */
export type OnMessage = (message: Members, send: (message: Members) => void) => ReadonlyArray<Members>

const isMembers = (value: unknown): value is Members => typeof value === "object" && value !== null && !Array.isArray(value)

/** The object at a path; an empty one if it is not there. */
export const within = (value: unknown, ...path: ReadonlyArray<string>): Members => {
  let place: unknown = value
  for (const name of path) place = isMembers(place) ? place[name] : undefined
  return isMembers(place) ? place : {}
}

/** Changes requests before the service has them. */
export const onRequest =
  (change: (request: ServiceRequest) => ServiceRequest) =>
  (service: Service): Service => ({ ...service, fetch: (request) => service.fetch(change(request)) })

/** Changes the JSON of answers in place; a returned response is sent instead. */
export const onAnswer =
  (change: (json: Members, request: ServiceRequest, response: ServiceResponse) => ServiceResponse | void) =>
  (service: Service): Service => ({
    ...service,
    fetch: async (request) => {
      const response = await service.fetch(request)
      if (response === undefined || !String(response.body).startsWith("{")) return response
      const json = JSON.parse(String(response.body)) as Members
      const other = change(json, request, response)
      return other ?? { ...response, body: JSON.stringify(json) }
    }
  })

const tamperedSocket = (socket: Socket, onMessage: OnMessage): Socket => {
  const send = (message: Members): void => socket.sendTexts([JSON.stringify(message)])
  return {
    sendTexts: (texts) => {
      const changed = texts.flatMap((text) => onMessage(JSON.parse(text) as Members, send))
      if (changed.length > 0) socket.sendTexts(changed.map((message) => JSON.stringify(message)))
    },
    bufferedAmount: () => socket.bufferedAmount(),
    ping: () => socket.ping(),
    close: (code, reason) => socket.close(code, reason),
    terminate: () => socket.terminate()
  }
}

/** Changes what sockets send, and with `received` what they are sent. */
export const onSocket =
  (connection: () => { readonly message?: OnMessage; readonly received?: (text: string) => string; readonly ignoresClose?: boolean }) =>
  (service: Service): Service => ({
    ...service,
    upgrade: async (request) => {
      const opening = await service.upgrade(request)
      if (typeof opening !== "function") return opening
      const open: Opening = (socket): Peer => {
        const { ignoresClose = false, message = (same) => [same], received = (same) => same } = connection()
        const tampered = tamperedSocket(socket, message)
        const peer = opening(ignoresClose ? { ...tampered, close: () => {}, terminate: () => {} } : tampered)
        return {
          message: (frame) => peer.message(typeof frame === "string" ? received(frame) : frame),
          pong: () => peer.pong(),
          drain: () => peer.drain(),
          closed: (code, reason) => peer.closed(code, reason)
        }
      }
      return open
    }
  })

/** Changes messages of the service in place. */
export const onMessage = (change: (message: Members) => void): ((service: Service) => Service) =>
  onSocket(() => ({
    message: (message) => {
      change(message)
      return [message]
    }
  }))

/** Calls back at every n-th call only. */
export const everyNth = (count: number): (() => boolean) => {
  let calls = 0
  return () => {
    calls += 1
    return calls % count === 0
  }
}
