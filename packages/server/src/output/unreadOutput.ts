/** What happens when nobody reads our output any more: the reader of a pipe has ended, as `head` does, or a collector of logs has crashed. */

const lost = (cause: NodeJS.ErrnoException): void => {
  if (cause.code !== "EPIPE") throw cause
}

/** From now on what nobody reads is lost, and the process goes on: a server must not end with whoever reads its log. */
export const survivesUnreadOutput = (): void => {
  for (const stream of [process.stdout, process.stderr]) stream.off("error", lost).on("error", lost)
}
