/** Drops a connection without ending it. */
import type { Socket } from "node:net"

/** Resets it; one that is being ended cannot be reset, and Node would then never close it nor free what it refers to. */
export const resetSocket = (socket: Socket): void => void (socket.writableEnded ? socket.destroy() : socket.resetAndDestroy())
