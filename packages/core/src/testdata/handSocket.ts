/** A WebSocket in the hands of a test: what the service does to it is written down, what the client does the test says. */
import type { Service, ServiceResponse } from "../edge/transport/seam.ts"
import type { Peer, Socket } from "../edge/transport/seam.ts"
import { seamRequest } from "./world.ts"

/** The client's end. */
export interface HandSocket {
  readonly texts: ReadonlyArray<string>
  /** How the service said goodbye; more than one is a fault. */
  readonly goodbyes: ReadonlyArray<readonly [code: number, reason: string]>
  readonly isCut: boolean
  readonly peer: Peer
}

/** Whether the client answers a close frame, as every proper client does. */
export type Manners = "answers" | "never answers"

/** Opens the service's half over a socket that is read at once. */
export const handSocket = (open: (socket: Socket) => Peer, manners: Manners = "answers"): HandSocket => {
  const texts: Array<string> = []
  const goodbyes: Array<readonly [number, string]> = []
  let isCut = false
  const socket: Socket = {
    sendTexts: (frames) => void texts.push(...frames),
    bufferedAmount: () => 0,
    ping: () => {},
    close: (code, reason) => {
      goodbyes.push([code, reason])
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
    goodbyes,
    peer,
    get isCut() {
      return isCut
    }
  }
}

/** Asks for an upgrade with a key. */
export const askUpgrade = (service: Service, key: string): Promise<ServiceResponse | ((socket: Socket) => Peer) | undefined> =>
  service.upgrade(seamRequest("GET", "/ws/v1", { headers: { authorization: `Bearer ${key}` } }))

/** Asks for an upgrade that must be granted. */
export const grantedUpgrade = async (service: Service, key: string): Promise<(socket: Socket) => Peer> => {
  const answer = await askUpgrade(service, key)
  if (typeof answer !== "function") throw new Error(`refused with ${answer?.status}`)
  return answer
}
