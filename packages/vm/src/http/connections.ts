/** The kept-alive connections of outbound requests, one pool per scheme and trust. */
import { Agent as HttpAgent } from "node:http"
import { Agent as HttpsAgent } from "node:https"
import type { LookupFunction } from "node:net"
import { rootCertificates } from "node:tls"
import { ReadingRoom } from "./answerBytes.ts"
import type { Hop } from "./hop.ts"
import { openNames } from "./names.ts"
import type { OutboundOptions } from "./outboundOptions.ts"
import { policedLookup } from "./policedLookup.ts"

/** Idle connections to one host above this number are closed. */
const maxIdlePerHost = 64

/** The source of a hop's connection. */
export interface Connections {
  /** The pool of a hop; `fresh` asks for a connection of its own, not kept afterwards. */
  readonly agentFor: (hop: Hop, fresh: boolean) => HttpAgent | HttpsAgent
  /** The name resolution of a hop's connection; the pool has none of its own. */
  readonly lookupFor: (hop: Hop, projectId: string, isAhead?: boolean) => LookupFunction
  /** Bounds the memory of answers being read; prefetched ones are counted separately. */
  readonly roomFor: (isAhead: boolean) => ReadingRoom
  readonly close: () => void
}

/**
 * Opens the pools. A pool is keyed by name, so overridden hosts need their own: otherwise a program could name the private host of an
 * override and get its idle connection, without the address check.
 */
export const openConnections = (options: OutboundOptions): Connections => {
  const names = openNames(options)
  const ca = options.extraCaPem === undefined ? {} : { ca: [...rootCertificates, ...options.extraCaPem] }
  const agent = (secure: boolean, keepAlive: boolean): HttpAgent | HttpsAgent => {
    const shared = { keepAlive, maxFreeSockets: maxIdlePerHost }
    return secure ? new HttpsAgent({ ...shared, ...ca, rejectUnauthorized: true }) : new HttpAgent(shared)
  }
  const pools = new Map<string, HttpAgent | HttpsAgent>()
  const [room, aheadRoom] = [new ReadingRoom(), new ReadingRoom()]
  return {
    agentFor: ({ secure, trusted }, fresh) => {
      const key = `${secure} ${trusted} ${fresh}`
      const pool = pools.get(key) ?? agent(secure, !fresh)
      pools.set(key, pool)
      return pool
    },
    lookupFor: ({ trusted }, projectId, isAhead) => policedLookup(names(projectId, trusted, isAhead), trusted),
    roomFor: (isAhead) => (isAhead ? aheadRoom : room),
    close: () => {
      for (const pool of pools.values()) pool.destroy()
    }
  }
}
