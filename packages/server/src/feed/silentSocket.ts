/** Notices that nobody is there any more: a connection that broke without a word looks like one on which nothing happens. */

/** What is used of a socket of `ws`. */
export interface WatchedSocket {
  readonly ping: () => void
  readonly on: (event: "message" | "ping" | "pong", heard: () => void) => unknown
}

/** How often it is looked at. After one look that finds nothing new the server is asked; nobody is there if the next finds no answer. */
export const lookMs = 30_000

/** Calls `silent` once when nothing has come any more, and a ping was not answered. Returns what ends the watch. */
export const watchSilence = (socket: WatchedSocket, silent: () => void): (() => void) => {
  let hasHeard = true
  let isAsked = false
  for (const event of ["message", "ping", "pong"] as const) socket.on(event, () => (hasHeard = true))
  const look = (): void => {
    const isSilent = !hasHeard
    hasHeard = false
    if (isSilent && isAsked) {
      clearInterval(watch)
      return silent()
    }
    isAsked = isSilent
    if (isSilent) socket.ping()
  }
  const watch = setInterval(look, lookMs)
  return () => clearInterval(watch)
}
