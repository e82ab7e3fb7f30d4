/** How a command ends that is interrupted, by Ctrl-C or SIGTERM. */
import { exitCodes } from "../output/failure.ts"

/** The commands that go on until they are stopped: for these it is their end. */
const untilStopped: ReadonlySet<string> = new Set(["serve", "cluster", "executor", "feed", "top", "feeds follow"])

/** The exit code: any other command has not done what it was asked for, and what follows `&&` must not run. */
export const interruptedCode = ([first = "", second = ""]: ReadonlyArray<string>): number =>
  untilStopped.has(first) || untilStopped.has(`${first} ${second}`) ? exitCodes.ok : exitCodes.interrupted
