/** What the engine of a worker process is told as it starts. */
import { execFile } from "node:child_process"
import { Effect } from "effect"

/** Variables of an environment. */
export type Environment = Readonly<Record<string, string>>

/**
 * JavaScriptCore lets four WebAssembly memories at once have their whole address space, 4 GiB each. For one more it first collects all
 * garbage, and if that frees none, the program is compiled again, with code that checks bounds. A worker keeps up to 32 instances, and
 * those that have ended are there until they are collected: with 64 every 32nd new instance collects, with 256 hardly any.
 */
const moreMemories: Environment = { BUN_JSC_maxNumWasmFastMemories: "256" }

/** Programs that each time fill their memory of 10 MiB leave 200 MiB of it uncollected: a worker with less than this keeps to four. */
const leastMib = 512

/** Whether a runtime starts with these variables: Bun ends at once when it is told an engine's option that it does not know. */
export const startsWith = (runtime: string, env: Environment): Effect.Effect<boolean> =>
  Effect.async((resume) => {
    const child = execFile(runtime, ["-e", "0"], { cwd: "/", env, timeout: 10_000 }, (fault) => resume(Effect.succeed(fault === null)))
    return Effect.sync(() => void child.kill())
  })

/** For worker processes of this runtime with so much memory at most; empty on Node, and where the engine would not take it. */
export const engineEnvironment = (maxMib: number): Effect.Effect<Environment> =>
  process.versions["bun"] === undefined || maxMib < leastMib
    ? Effect.succeed({})
    : Effect.map(startsWith(process.execPath, moreMemories), (isTaken) => (isTaken ? moreMemories : {}))
