/** Every change of an audited store is an entry; what is refused, read or changes nothing is none, and no entry has a secret. */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { Effect, Layer, Redacted } from "effect"
import { expect, it } from "vitest"
import { DataProxies } from "../dataProxies.ts"
import { Entropy } from "../entropy.ts"
import { Keys } from "../keys.ts"
import { layerMemoryStores } from "../memory/memoryStores.ts"
import { Network } from "../network.ts"
import { ProgramNames } from "../programNames.ts"
import { ProgramStore } from "../programStore.ts"
import { Provisioning } from "../provisioning.ts"
import { layerAuditedStores } from "./auditedStores.ts"
import { AuditTrail } from "./auditTrail.ts"

const layer = layerAuditedStores("ada").pipe(
  Layer.provideMerge(Layer.mergeAll(layerMemoryStores, ProgramStore.layerMemory, DataProxies.layerMemory(), AuditTrail.layerMemory)),
  Layer.provide(Layer.merge(Entropy.layer, Network.layer({ name: "testnet", chainId: "sibyl-1-test" })))
)

it("keeps each change once", () => {
  const changes = Effect.gen(function* () {
    const [provisioning, keys, names, programs, proxies, trail] = yield* Effect.all([
      Provisioning,
      Keys,
      ProgramNames,
      ProgramStore,
      DataProxies,
      AuditTrail
    ])
    yield* provisioning.createOrganization({ organizationSlug: "acme", name: "Acme" })
    const { projectId } = yield* provisioning.createProject({ organizationSlug: "acme" })
    yield* provisioning.updateProject(projectId, { gasLimits: { exec: 5n, tally: 7n } })
    yield* provisioning.grant(projectId, 10n ** 20n)
    const first = yield* keys.issue(projectId, { name: "backend" })
    const second = yield* keys.rotate(first.apiKeyId, { overlapMs: 5 })
    yield* keys.revoke(second.apiKeyId)
    yield* keys.revoke(second.apiKeyId)
    yield* keys.list(projectId)
    const programId = yield* programs.put(new Uint8Array(3))
    yield* programs.put(new Uint8Array(3))
    yield* names.give({ name: "v1.prices.acme", owner: null, programId })
    yield* names.take(null, "v1.prices.acme")
    yield* names.take(null, "v1.prices.acme")
    const publicKey = secp256k1.Point.BASE.toHex(true)
    yield* proxies.register({ publicKey, name: "rates", feeCredits: 2n, active: true })
    yield* proxies.remove(publicKey)
    yield* proxies.remove(publicKey)
    const refused = [
      Effect.exit(provisioning.grant(projectId, -1n)),
      Effect.exit(keys.revoke("nobody")),
      Effect.exit(provisioning.updateProject("nobody", {}))
    ]
    expect((yield* Effect.all(refused)).map(({ _tag }) => _tag)).toEqual(["Failure", "Failure", "Failure"])
    const entries = yield* trail.after(0, 100)
    expect(entries.map(({ action, by, details, subject }) => [by, action, subject, details])).toEqual([
      ["ada", "organization.create", "acme", { name: "Acme" }],
      ["ada", "project.create", projectId, { organizationSlug: "acme" }],
      ["ada", "project.change", projectId, { gasLimits: '{"exec":"5","tally":"7"}' }],
      ["ada", "credits.grant", projectId, { credits: "100000000000000000000" }],
      ["ada", "key.issue", first.apiKeyId, { projectId, name: "backend" }],
      ["ada", "key.rotate", first.apiKeyId, { newKey: second.apiKeyId, overlapMs: 5 }],
      ["ada", "key.revoke", second.apiKeyId, {}],
      ["ada", "program.deploy", programId, { sizeBytes: 3 }],
      ["ada", "program.name", "v1.prices.acme", { programId, owner: null }],
      ["ada", "program.unname", "v1.prices.acme", { owner: null }],
      ["ada", "proxy.register", publicKey, { name: "rates", feeCredits: "2", active: true }],
      ["ada", "proxy.remove", publicKey, {}]
    ])
    for (const { key } of [first, second]) expect(JSON.stringify(entries)).not.toContain(Redacted.value(key))
  })
  return Effect.runPromise(Effect.provide(changes, layer))
})
