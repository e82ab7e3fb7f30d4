/** The stores in memory satisfy the laws. */
import { AuditTrail, DataProxies, Entropy, layerMemoryStores, Network, ProgramStore } from "@sibyl/core"
import { Effect, Layer } from "effect"
import { describe, it } from "vitest"
import { allStoreLaws } from "./allStoreLaws.ts"

const makeStores = () =>
  Layer.mergeAll(layerMemoryStores, ProgramStore.layerMemory, AuditTrail.layerMemory, DataProxies.layerMemory()).pipe(
    Layer.provide(Layer.merge(Entropy.layer, Network.layer({ name: "testnet", chainId: "sibyl-1-test" })))
  )

for (const [name, laws] of Object.entries(allStoreLaws(makeStores))) {
  describe(`memory ${name}`, () => {
    it.each(laws)("$name", ({ run }) => Effect.runPromise(run))
  })
}
