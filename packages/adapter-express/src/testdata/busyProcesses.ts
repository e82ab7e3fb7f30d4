/** For tests: processes that do nothing but keep the machine busy, each of which ends by itself. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"

/** Counts until its time is over, or whoever started it is gone. */
const program = `
const parent = process.ppid
const until = Date.now() + Number(process.argv[1])
while (Date.now() < until && process.ppid === parent) for (let count = 0; count < 1e7; count += 1);
`

/** Processes that are running. */
export interface BusyProcesses {
  /** How many of them are still running. */
  readonly running: () => number
  readonly stop: () => Promise<void>
}

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null

/** Starts processes that are busy for so many milliseconds at most. */
export const startBusyProcesses = (count: number, mostMs: number): BusyProcesses => {
  const children = Array.from({ length: count }, () => spawn(process.execPath, ["-e", program, String(mostMs)], { stdio: "ignore" }))
  return {
    running: () => children.filter(isRunning).length,
    stop: async () => {
      await Promise.all(
        children.filter(isRunning).map((child) => {
          const ended = once(child, "exit")
          child.kill("SIGKILL")
          return ended
        })
      )
    }
  }
}
