/** What a thread and whoever ends it agree on by one word of memory. That real threads survive it: `threadEnds.test.ts` of the server. */
import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { describe, expect, it } from "vitest"
import { endedAtExit, Uninterrupted } from "./uninterrupted.ts"

/** Both sides of one memory. */
const sides = () => {
  const ending = new Uninterrupted()
  return { ending, thread: new Uninterrupted(ending.memory) }
}

describe("code that must not be interrupted", () => {
  it("runs, as often as it is asked to, until the thread is to end", () => {
    const { ending, thread } = sides()
    expect([thread.run(() => 1), thread.run(() => 2)]).toEqual([1, 2])
    expect([ending.tryEnd(), ending.tryEnd()]).toEqual([true, true])
    let ran = false
    expect(thread.run(() => (ran = true))).toBeUndefined()
    expect(ran).toBe(false)
  })

  it("keeps the thread from being ended while it runs, and no longer", () => {
    const { ending, thread } = sides()
    expect(thread.run(() => ending.tryEnd())).toBe(false)
    expect(thread.run(() => "again")).toBe("again")
    expect(ending.tryEnd()).toBe(true)
  })

  it("is over when it throws, too", () => {
    const { ending, thread } = sides()
    const fail = () => {
      throw new Error("failed")
    }
    expect(() => thread.run(fail)).toThrow("failed")
    expect(ending.tryEnd()).toBe(true)
  })

  it.each(["end", "endNow"] as const)("is waited for by %s, in another thread", async (how) => {
    const ending = new Uninterrupted()
    // Enters as `run` does, and leaves 50 ms later.
    const thread = new Worker(
      `const { parentPort, workerData } = require("node:worker_threads")
       const words = new Int32Array(workerData)
       Atomics.store(words, 0, 1)
       parentPort.postMessage("inside")
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
       parentPort.postMessage("leaves")
       Atomics.store(words, 0, 0)`,
      { eval: true, workerData: ending.memory }
    )
    const told: Array<string> = []
    // Asked for now: the thread may be gone by the time that `end` returns.
    const exited = once(thread, "exit")
    await new Promise<void>((resolve) => thread.on("message", (message: string) => resolve(void told.push(message))))
    await ending[how]()
    expect(new Uninterrupted(ending.memory).run(() => true)).toBeUndefined()
    await exited
    expect(told).toEqual(["inside", "leaves"])
  })
})

describe("code that hangs", () => {
  it.each(["end", "endNow"] as const)("keeps nobody who calls %s", async (how) => {
    const ending = new Uninterrupted()
    Atomics.store(new Int32Array(ending.memory), 0, 1)
    await ending[how]()
    expect(ending.tryEnd()).toBe(false)
  })
})

describe("the end of the process", () => {
  it("ends what is listed, with one listener for all", () => {
    const before = process.listeners("exit")
    const listeners = () => process.listeners("exit").filter((each) => !before.includes(each))
    const [kept, left] = [sides(), sides()]
    const leaves = [endedAtExit(kept.ending), endedAtExit(left.ending)]
    expect(listeners()).toHaveLength(1)
    leaves[1]?.()
    for (const listener of listeners()) listener(0)
    expect([kept.thread.run(() => "runs"), left.thread.run(() => "runs")]).toEqual([undefined, "runs"])
    leaves[0]?.()
    expect(listeners()).toHaveLength(0)
  })
})
