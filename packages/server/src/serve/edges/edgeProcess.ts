/** One edge as its supervisor sees it: a process that is sent messages and ends at some time. */
import type { ChildProcess } from "node:child_process"
import type { FromEdge, ToEdge } from "./edgeMessages.ts"

/** How a process ended. */
export interface EdgeEnd {
  /** `code 1`, `signal SIGKILL`, or why it could not be started. */
  readonly how: string
  readonly livedMs: number
}

/** A started process. */
export class EdgeProcess {
  readonly #child: ChildProcess
  readonly ended: Promise<EdgeEnd>

  /** Takes over a process; `heard` is called with each of its messages. */
  constructor(child: ChildProcess, heard: (message: FromEdge, edge: EdgeProcess) => void) {
    const startedMs = performance.now()
    let isOver = false
    this.#child = child
    // A message that comes after the end is too late: what the edge had is given to others.
    child.on("message", (message: FromEdge) => {
      if (!isOver) heard(message, this)
    })
    this.ended = new Promise((resolve) => {
      const end = (how: string): void => {
        isOver = true
        resolve({ how, livedMs: performance.now() - startedMs })
      }
      child.once("exit", (code, signal) => end(signal === null ? `code ${code}` : `signal ${signal}`))
      // Emitted instead of `exit` if the process could not be started.
      child.on("error", (error) => child.pid === undefined && end(error.message))
    })
  }

  /** The process id. */
  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Sends a message; one to a process that has ended is dropped. */
  tell(message: ToEdge): void {
    if (this.#child.connected) this.#child.send(message, () => {})
  }
}
