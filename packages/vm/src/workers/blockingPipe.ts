/** Reads and writes messages on file descriptors, blocking: a worker process has nothing else to do meanwhile. */
import { readSync, writeSync } from "node:fs"
import { frameOf, lengthBytes, lengthIn } from "./frame.ts"

const pause = new Int32Array(new SharedArrayBuffer(4))

/** Some runtimes make pipes that do not block: then this waits for a moment and tries again. */
const patiently = (act: () => number): number => {
  for (;;) {
    try {
      return act()
    } catch (fault) {
      const code = (fault as { readonly code?: string }).code
      if (code === "EOF") return 0
      if (code !== "EAGAIN") throw fault
      Atomics.wait(pause, 0, 0, 1)
    }
  }
}

/** Fills the bytes; false if the other end was closed before. */
const fill = (fd: number, bytes: Uint8Array): boolean => {
  for (let at = 0; at < bytes.length;) {
    const from = at
    const read = patiently(() => readSync(fd, bytes, from, bytes.length - from, null))
    if (read === 0) return false
    at += read
  }
  return true
}

/** The next message; undefined if the other end was closed. */
export const readMessage = (fd: number): Uint8Array | undefined => {
  const length = new Uint8Array(lengthBytes)
  if (!fill(fd, length)) return undefined
  const message = new Uint8Array(lengthIn(length))
  return fill(fd, message) ? message : undefined
}

/** Writes a message. */
export const writeMessage = (fd: number, message: Uint8Array): void => {
  const frame = frameOf(message)
  for (let at = 0; at < frame.length;) {
    const from = at
    at += patiently(() => writeSync(fd, frame, from, frame.length - from))
  }
}
