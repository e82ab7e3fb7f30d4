/** The kept-alive connections of outbound requests, one pool per scheme and trust. */
import { Agent as HttpAgent } from "node:http"
import { Agent as HttpsAgent } from "node:https"
import { rootCertificates } from "node:tls"
import type { Hop } from "./hop.ts"
import type { OutboundOptions } from "./outboundOptions.ts"
import { policedLookup, systemResolve } from "./policedLookup.ts"

/** Idle connections to one host above this number are closed. */
const maxIdlePerHost = 64

/** Where a hop's connection comes from. */
export interface Connections {
  /** The pool of a hop; `fresh` asks for a connection of its own, not kept afterwards. */
  readonly agentFor: (hop: Hop, fresh: boolean) => HttpAgent | HttpsAgent
  readonly close: () => void
}

/**
 * Opens the pools. A pool is keyed by name, so stand-ins need their own: else a program could name a stand-in's private
 * host and be given its idle connection, past the address check.
 */
export const openConnections = (options: OutboundOptions): Connections => {
  const resolve = options.resolve ?? systemResolve
  const ca = options.extraCaPem === undefined ? {} : { ca: [...rootCertificates, ...options.extraCaPem] }
  const agent = (secure: boolean, trusted: boolean, keepAlive: boolean): HttpAgent | HttpsAgent => {
    const shared = { keepAlive, maxFreeSockets: maxIdlePerHost, lookup: policedLookup(resolve, trusted) }
    return secure ? new HttpsAgent({ ...shared, ...ca, rejectUnauthorized: true }) : new HttpAgent(shared)
  }
  const pools = new Map<string, HttpAgent | HttpsAgent>()
  return {
    agentFor: ({ secure, trusted }, fresh) => {
      const key = `${secure} ${trusted} ${fresh}`
      const pool = pools.get(key) ?? agent(secure, trusted, !fresh)
      pools.set(key, pool)
      return pool
    },
    close: () => {
      for (const pool of pools.values()) pool.destroy()
    }
  }
}
