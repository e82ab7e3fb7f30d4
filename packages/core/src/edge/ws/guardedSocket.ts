/** What an adapter's socket throws ends its connection, and nothing else: most calls come from timers, where it would end the process. */
import type { SharedText, Socket } from "../transport/seam.ts"

/** The socket, with methods that never throw; `broken` is told what one of them threw. */
export const guardedSocket = (socket: Socket, broken: (error: unknown) => void): Socket => {
  const guarded = <A>(call: () => A, otherwise: A): A => {
    try {
      return call()
    } catch (error) {
      broken(error)
      return otherwise
    }
  }
  const { sendShared } = socket
  return {
    sendTexts: (frames) => guarded(() => socket.sendTexts(frames), undefined),
    ...(sendShared === undefined ? {} : { sendShared: (frame: SharedText) => guarded(() => sendShared.call(socket, frame), undefined) }),
    bufferedAmount: () => guarded(() => socket.bufferedAmount(), 0),
    ping: () => guarded(() => socket.ping(), undefined),
    close: (code, reason) => guarded(() => socket.close(code, reason), undefined),
    terminate: () => guarded(() => socket.terminate(), undefined)
  }
}
