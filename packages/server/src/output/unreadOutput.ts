/**
 * What happens when our output cannot be written any more: the reader of a pipe has ended, as `head` does, or a collector of logs has crashed, or
 * the disk of a file is full.
 */

const lostLog = (): void => {}

let isTold = false

const lostOutput = ({ code, message }: NodeJS.ErrnoException): void => {
  // Who reads no more wants no more.
  if (code === "EPIPE" || isTold) return
  isTold = true
  // What was asked for is not there, whatever else was done.
  process.exitCode = 1
  process.stderr.write(`sibyl: standard output cannot be written: ${code ?? message}\n`)
}

/** From now on what cannot be written is lost, and the process goes on: a server must not end with its log. */
export const survivesUnreadOutput = (): void => {
  process.stdout.off("error", lostOutput).on("error", lostOutput)
  process.stderr.off("error", lostLog).on("error", lostLog)
}
