/** Runs a script in its own process, which is killed if it uses too much memory or time. */
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"

/** How such a process ended. */
export interface WatchedRun {
  readonly exitCode: number | null
  /** Its peak memory, in MiB; 0 if the system does not report it. */
  readonly peakMib: number
  readonly output: string
}

const peakMibOf = (pid: number | undefined): number => {
  try {
    const [, kib = "0"] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
    return Number(kib) / 1024
  } catch {
    return 0
  }
}

/** Runs `script` on the runtime of this test. It is killed beyond `maxMib` or after `maxMs`. */
export const runWatched = (
  script: string,
  args: ReadonlyArray<string>,
  { maxMib, maxMs }: { readonly maxMib: number; readonly maxMs: number }
): Promise<WatchedRun> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "pipe"] })
    let output = ""
    let peakMib = 0
    child.stdout.on("data", (bytes) => (output += String(bytes)))
    child.stderr.on("data", (bytes) => (output += String(bytes)))
    const end = (): void => void child.kill("SIGKILL")
    const watch = setInterval(() => {
      peakMib = Math.max(peakMib, peakMibOf(child.pid))
      if (peakMib > maxMib) end()
    }, 20)
    const clock = setTimeout(end, maxMs)
    child.on("close", (exitCode) => {
      clearInterval(watch)
      clearTimeout(clock)
      resolve({ exitCode, peakMib, output })
    })
  })
