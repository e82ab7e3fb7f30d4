/** Code of a thread that must not be interrupted: native code does not survive the end of its thread (it aborts the process). */

const idle = 0
const inside = 1
const ended = 2

/** How long a waiting process looks away at most, in ms: a signature takes a fraction of one. */
const lookAgainMs = 1

/** How long the code may keep its thread: what takes longer hangs, or its thread is gone, and must not keep the process as well. */
const longestMs = 1_000

/** One word of memory that a thread shares with who ends it. */
export class Uninterrupted {
  readonly #words: Int32Array

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(4)) {
    this.#words = new Int32Array(memory)
  }

  /** To be given to the thread. */
  get memory(): SharedArrayBuffer {
    return this.#words.buffer as SharedArrayBuffer
  }

  /** In the thread: what the code gives; undefined, without running it, once the thread is to end. */
  run<A>(code: () => A): A | undefined {
    if (Atomics.compareExchange(this.#words, 0, idle, inside) !== idle) return undefined
    try {
      return code()
    } finally {
      Atomics.store(this.#words, 0, idle)
    }
  }

  /** Elsewhere: from now on the thread runs no such code; false, and nothing has changed, while it is inside. */
  tryEnd(): boolean {
    return Atomics.compareExchange(this.#words, 0, idle, ended) !== inside
  }

  /** Ends it as soon as the thread is not inside, or has been for a second. */
  async end(): Promise<void> {
    const until = performance.now() + longestMs
    while (!this.tryEnd() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, lookAgainMs))
  }

  /** The same in the turn of an ending process, which does nothing else any more. */
  endNow(): void {
    const until = performance.now() + longestMs
    while (!this.tryEnd() && performance.now() < until) Atomics.wait(this.#words, 0, inside, lookAgainMs)
  }
}

const atExit = new Set<Uninterrupted>()

const endAll = (): void => {
  for (const each of atExit) each.endNow()
}

/** Threads end with their process as well: until the returned function is called, the process waits for the code's end when it exits. */
export const endedAtExit = (code: Uninterrupted): (() => void) => {
  if (atExit.size === 0) process.on("exit", endAll)
  atExit.add(code)
  return () => {
    atExit.delete(code)
    if (atExit.size === 0) process.off("exit", endAll)
  }
}
