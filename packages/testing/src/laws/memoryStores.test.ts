/** The stores in memory keep the laws. */
import { DataProxies, Entropy, memoryStores, ProgramStore } from "@sibyl/core"
import { Effect, Layer } from "effect"
import { describe, it } from "vitest"
import { allStoreLaws } from "./allStoreLaws.ts"

const makeStores = () =>
  Layer.mergeAll(memoryStores({ network: "testnet" }), ProgramStore.memory, DataProxies.memory()).pipe(
    Layer.provide(Entropy.live)
  )

for (const [name, laws] of Object.entries(allStoreLaws(makeStores))) {
  describe(`memory ${name}`, () => {
    it.each(laws)("$name", ({ run }) => Effect.runPromise(run))
  })
}
