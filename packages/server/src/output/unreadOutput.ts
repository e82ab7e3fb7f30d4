/** What happens when nobody reads our output any more: the reader of a pipe has ended, as `head` does, or a collector of logs has crashed. */

const isUnread = (cause: unknown): boolean => cause instanceof Error && "code" in cause && cause.code === "EPIPE"

/** From now on what nobody reads is lost, and the process goes on: a server must not end with whoever reads its log. */
export const survivesUnreadOutput = (): void => {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (cause: unknown) => {
      if (!isUnread(cause)) throw cause
    })
  }
}
