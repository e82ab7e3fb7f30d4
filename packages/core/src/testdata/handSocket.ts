/** A WebSocket controlled by a test: what the service does is recorded, what the client does is up to the test. */
import type { Service, ServiceResponse } from "../edge/transport/seam.ts"
import type { Peer, Socket } from "../edge/transport/seam.ts"
import { seamRequest } from "./testService.ts"

/** The client's end. */
export interface HandSocket {
  readonly texts: ReadonlyArray<string>
  /** The closes by the service; more than one is a fault. */
  readonly closeFrames: ReadonlyArray<readonly [code: number, reason: string]>
  readonly isCut: boolean
  readonly peer: Peer
}

/** Whether the client answers a close frame, as it should. */
export type Manners = "answers" | "never answers"

/** Opens the service's half over a socket that is read at once. */
export const handSocket = (open: (socket: Socket) => Peer, manners: Manners = "answers"): HandSocket => {
  const texts: Array<string> = []
  const closeFrames: Array<readonly [number, string]> = []
  let isCut = false
  const socket: Socket = {
    sendTexts: (frames) => void texts.push(...frames),
    bufferedAmount: () => 0,
    ping: () => {},
    close: (code, reason) => {
      closeFrames.push([code, reason])
      if (manners === "answers") queueMicrotask(() => peer.closed(code, reason))
    },
    terminate: () => {
      isCut = true
      queueMicrotask(() => peer.closed(1006, ""))
    }
  }
  const peer = open(socket)
  return {
    texts,
    closeFrames,
    peer,
    get isCut() {
      return isCut
    }
  }
}

/** Requests an upgrade with a key. */
export const askUpgrade = (service: Service, key: string): Promise<ServiceResponse | ((socket: Socket) => Peer) | undefined> =>
  service.upgrade(seamRequest("GET", "/ws/v1", { headers: { authorization: `Bearer ${key}` } }))

/** Requests an upgrade that must be accepted. */
export const grantedUpgrade = async (service: Service, key: string): Promise<(socket: Socket) => Peer> => {
  const answer = await askUpgrade(service, key)
  if (typeof answer !== "function") throw new Error(`refused with ${answer?.status}`)
  return answer
}
