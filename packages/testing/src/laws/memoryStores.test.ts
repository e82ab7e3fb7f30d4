/** The stores in memory keep the laws. */
import { DataProxies, Entropy, memoryStores, ProgramStore } from "@sibyl/core"
import { Effect, Layer } from "effect"
import { describe, it } from "vitest"
import { accountLaws } from "./accountLaws.ts"
import { dataProxyLaws } from "./dataProxyLaws.ts"
import { directoryLaws } from "./directoryLaws.ts"
import { idempotencyLaws } from "./idempotencyLaws.ts"
import { keyLaws } from "./keyLaws.ts"
import type { Law } from "./law.ts"
import { ledgerLaws } from "./ledgerLaws.ts"
import { programStorageLaws } from "./programStorageLaws.ts"
import { programStoreLaws } from "./programStoreLaws.ts"
import { provisioningLaws } from "./provisioningLaws.ts"
import { resultStoreLaws } from "./resultStoreLaws.ts"
import { retentionLaws } from "./retentionLaws.ts"

const makeStores = () => Layer.provide(memoryStores({ network: "testnet" }), Entropy.live)

const suites: Readonly<Record<string, ReadonlyArray<Law>>> = {
  directory: directoryLaws(makeStores),
  provisioning: provisioningLaws(makeStores),
  keys: keyLaws(makeStores),
  accounts: accountLaws(makeStores),
  ledger: ledgerLaws(makeStores),
  results: resultStoreLaws(makeStores),
  storage: programStorageLaws(makeStores),
  retention: retentionLaws(makeStores),
  idempotency: idempotencyLaws(makeStores),
  programs: programStoreLaws(() => ProgramStore.memory),
  "data proxies": dataProxyLaws(() => DataProxies.memory())
}

for (const [name, laws] of Object.entries(suites)) {
  describe(`memory ${name}`, () => {
    it.each(laws)("$name", ({ run }) => Effect.runPromise(run))
  })
}
