/** What worker processes are told, and that nothing is told to an engine that would not start with it. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { engineEnvironment, startsWith } from "./engineEnvironment.ts"

const onBun = process.versions["bun"] !== undefined

it("tells Bun of more memories where garbage has room, Node nothing", async () => {
  expect(await Effect.runPromise(engineEnvironment(511))).toEqual({})
  expect(await Effect.runPromise(engineEnvironment(512))).toEqual(onBun ? { BUN_JSC_maxNumWasmFastMemories: "256" } : {})
})

// Node ignores what it does not know.
it.runIf(onBun)("tells nothing that the engine does not know", async () => {
  expect(await Effect.runPromise(startsWith(process.execPath, { BUN_JSC_noSuchOption: "256" }))).toBe(false)
})

it("a runtime that is not there starts with nothing", async () => {
  expect(await Effect.runPromise(startsWith("/nowhere/bun", {}))).toBe(false)
})
