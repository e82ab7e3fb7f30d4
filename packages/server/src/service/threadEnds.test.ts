/** Threads that sign in native code are ended at any moment, by their pool and with their process, and the process survives it. */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { nativeSignatures } from "./signing/fastestSignatures.ts"

const script = fileURLToPath(new URL("testdata/endWhileSigning.mjs", import.meta.url))

interface Ended {
  readonly code: number | null
  readonly said: string
}

const endedBy = (way: string): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, way], { stdio: ["ignore", "pipe", "ignore"] })
    let said = ""
    child.stdout.on("data", (bytes) => (said += String(bytes)))
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, said }))
  })

// Without native code there is nothing that could abort: WebAssembly ends with its thread.
describe.skipIf(nativeSignatures === undefined)("a process whose threads sign", () => {
  it.each([
    ["close", "whose runtime is closed", 0],
    ["exit", "that calls process.exit", 0],
    ["throw", "with an uncaught error", 1]
  ] as const)("and %s: one %s ends with its own exit code", async (way, _, code) => {
    // Not guarded, nine of ten abort.
    for (let round = 0; round < 2; round += 1) {
      const ended = await endedBy(way)
      expect(ended).toEqual({ code, said: expect.stringMatching(/^\d+ signed$/) })
    }
  })
})
