/** The layer of a service as the README composes it: what the ports have beside the required ones is in it, over the same stores. */
import { Effect, Layer, Redacted } from "effect"
import { expect, it } from "vitest"
import { Entropy } from "../ports/entropy.ts"
import { Keys } from "../ports/keys.ts"
import { Ledger } from "../ports/ledger.ts"
import { layerMemoryStores } from "../ports/memory/memoryStores.ts"
import { ProgramRuntime } from "../ports/programRuntime.ts"
import { ProgramStore } from "../ports/programStore.ts"
import { Provisioning } from "../ports/provisioning.ts"
import { Signer } from "../ports/signer.ts"
import { allWell, scriptedRuntime } from "../testdata/scriptedRuntime.ts"
import { layerService } from "./service.ts"

it("has the stores' own Provisioning and Keys", async () => {
  const ports = Layer.mergeAll(
    layerMemoryStores,
    ProgramStore.layerMemory,
    Signer.layerFromSecret(Redacted.make(new Uint8Array(32).fill(1))),
    Layer.succeed(ProgramRuntime, scriptedRuntime(allWell).runtime)
  ).pipe(Layer.provide(Entropy.layer))
  const program = Effect.gen(function* () {
    const provisioning = yield* Provisioning
    const project = yield* provisioning.createProject({ organizationSlug: "acme" })
    const { apiKeyId } = yield* (yield* Keys).issue(project.projectId)
    yield* provisioning.grant(project.projectId, 7n)
    const { granted } = yield* (yield* Ledger).balance(project)
    return { apiKeyId, granted }
  })
  const options = { network: { name: "local", chainId: "sibyl-1-local" } }
  const made = await Effect.runPromise(program.pipe(Effect.provide(layerService(options, ports))))
  expect(made).toEqual({ apiKeyId: expect.stringMatching(/./), granted: 7n })
})
