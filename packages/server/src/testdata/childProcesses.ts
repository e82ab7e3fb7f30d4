/** For tests: the processes of this machine that a server has started, and their end. */
import { execFile } from "node:child_process"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"

const run = promisify(execFile)

/** Process id, parent and state of every process that has not ended. */
const living = async (): Promise<ReadonlyArray<readonly [pid: number, parent: number]>> => {
  const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid=,stat="])
  return stdout.split("\n").flatMap((line) => {
    const [pid = "", parent = "", state = "Z"] = line.trim().split(/\s+/)
    // A process that has ended stays in the table until its parent asks for its end.
    return state.startsWith("Z") ? [] : [[Number(pid), Number(parent)] as const]
  })
}

/** The ids of the children of a process. */
export const childrenOf = async (parent: number): Promise<ReadonlyArray<number>> =>
  (await living()).flatMap(([pid, of]) => (of === parent ? [pid] : []))

/** Resolves when none of the processes is left; rejects after half a minute. */
export const allEnded = async (pids: ReadonlyArray<number>): Promise<void> => {
  const deadline = performance.now() + 30_000
  while ((await living()).some(([pid]) => pids.includes(pid))) {
    if (performance.now() > deadline) throw new Error(`of ${pids.join()}, some have not ended`)
    await sleep(20)
  }
}
