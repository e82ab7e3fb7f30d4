/** The idle connections of all pools: how many there may be, and for how long. */
import type { Duplex } from "node:stream"

/** Idle connections in all. */
const maxIdle = 1_024

/** Idle connections to one host: runs of one service keep some hundreds of requests in flight. */
export const maxIdlePerHost = 512

/** An idle connection is closed after so many ms. */
export const idleMs = 15_000

/** Counts idle connections. One more than there may be closes the one that has been idle for longest. */
export class IdleConnections {
  /** By connection, what is called when it closes; the one that has been idle for longest first. */
  private readonly closings = new Map<Duplex, () => void>()
  private readonly most: number

  constructor(most = maxIdle) {
    this.most = most
  }

  /** How many there are. */
  get size(): number {
    return this.closings.size
  }

  /** A connection has become idle. */
  add(connection: Duplex): void {
    const closing = (): void => void this.closings.delete(connection)
    this.closings.set(connection, closing)
    connection.once("close", closing)
    const [oldest] = this.size > this.most ? this.closings.keys() : []
    if (oldest === undefined) return
    this.remove(oldest)
    oldest.destroy()
  }

  /** A connection is in use again. */
  remove(connection: Duplex): void {
    const closing = this.closings.get(connection)
    if (closing === undefined) return
    this.closings.delete(connection)
    connection.off("close", closing)
  }
}
