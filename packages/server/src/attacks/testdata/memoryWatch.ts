/** Watches the memory of a process, and kills it before it exhausts the machine's. Linux only: it reads /proc. */
import { readFileSync } from "node:fs"
import type { StartedServer } from "../../testdata/startedServer.ts"

const everyMs = 50

/** The resident memory of a process in bytes; 0 if it has exited. */
const residentBytes = (pid: number): number => {
  try {
    return Number(/^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

/** Watches until `stop`, which returns the peak. Above `killAboveBytes` the process is killed at once. */
export class MemoryWatch {
  readonly #timer: NodeJS.Timeout
  worstBytes = 0

  constructor(server: StartedServer, killAboveBytes: number) {
    this.#timer = setInterval(() => {
      this.worstBytes = Math.max(this.worstBytes, residentBytes(server.pid))
      if (this.worstBytes > killAboveBytes) void server.stop("SIGKILL")
    }, everyMs)
  }

  /** Ends the watch. */
  stop(): number {
    clearInterval(this.#timer)
    return this.worstBytes
  }
}
