/** The way to a writer in a thread that is started for it. */
import { startThread } from "./startThread.ts"
import type { ConnectWriter } from "./writerLink.ts"

/** Starts a thread, by default of this package's code. The process may end while nothing is being written. */
export const threadLink =
  (file?: string): ConnectWriter =>
  (settings, listener) => {
    const { ended, port, worker } = startThread(settings, listener, file)
    return {
      ended,
      post: (messages) => port.postMessage(messages),
      keepAlive: (isNeeded) => {
        for (const one of [port, worker]) {
          if (isNeeded) one.ref()
          else one.unref()
        }
      }
    }
  }
