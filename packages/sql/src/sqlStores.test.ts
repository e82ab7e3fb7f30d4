/** The stores on SQLite and on PostgreSQL keep the laws, the same that the stores in memory keep. */
import {
  accountLaws,
  dataProxyLaws,
  directoryLaws,
  idempotencyLaws,
  keyLaws,
  type Law,
  ledgerLaws,
  programStorageLaws,
  programStoreLaws,
  provisioningLaws,
  resultStoreLaws,
  retentionLaws
} from "@sibyl/testing"
import { Effect } from "effect"
import { describe, it } from "vitest"
import { describeDatabases, freshStores } from "./fixtures/testDatabases.ts"

describeDatabases("the laws", (database) => {
  const makeStores = () => freshStores(database)
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
    programs: programStoreLaws(makeStores),
    "data proxies": dataProxyLaws(makeStores)
  }
  for (const [name, laws] of Object.entries(suites)) {
    describe(name, () => {
      it.each(laws)("$name", ({ run }) => Effect.runPromise(run))
    })
  }
})
