/** The kept-alive connections of outbound requests, one pool per scheme and trust. */
import { Agent as HttpAgent } from "node:http"
import { Agent as HttpsAgent } from "node:https"
import type { LookupFunction } from "node:net"
import type { Duplex } from "node:stream"
import { rootCertificates } from "node:tls"
import { ReadingRoom } from "./answerBytes.ts"
import type { Hop } from "./hop.ts"
import { IdleConnections, idleMs, maxIdlePerHost } from "./idleConnections.ts"
import { openNames } from "./names.ts"
import type { OutboundOptions } from "./outboundOptions.ts"
import { policedLookup } from "./policedLookup.ts"

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

/** Has an agent count its idle connections with those of all others. */
const countIdle = (agent: HttpAgent | HttpsAgent, idle: IdleConnections): void => {
  // Its type lacks the result.
  const keep: (connection: Duplex) => unknown = agent.keepSocketAlive.bind(agent)
  const reuse = agent.reuseSocket.bind(agent)
  agent.keepSocketAlive = (connection: Duplex): boolean => {
    const isKept = keep(connection) === true
    if (isKept) idle.add(connection)
    return isKept
  }
  agent.reuseSocket = (connection, request) => {
    idle.remove(connection)
    reuse(connection, request)
  }
}

/**
 * Opens the pools. A pool is keyed by name, so overridden hosts need their own: otherwise a program could name the private host of an
 * override and get its idle connection, without the address check.
 */
export const openConnections = (options: OutboundOptions): Connections => {
  const names = openNames(options)
  const ca = options.extraCaPem === undefined ? {} : { ca: [...rootCertificates, ...options.extraCaPem] }
  const idle = new IdleConnections()
  const agent = (secure: boolean, keepAlive: boolean): HttpAgent | HttpsAgent => {
    const shared = { keepAlive, maxFreeSockets: maxIdlePerHost, timeout: idleMs }
    const opened = secure ? new HttpsAgent({ ...shared, ...ca, rejectUnauthorized: true }) : new HttpAgent(shared)
    if (keepAlive) countIdle(opened, idle)
    return opened
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
