/** The stores on SQLite keep the laws, the same that the stores in memory keep. */
import { Entropy } from "@sibyl/core"
import { directoryLaws, idempotencyLaws, type Law, ledgerLaws, programStoreLaws, resultStoreLaws } from "@sibyl/testing"
import { Effect, Layer } from "effect"
import { describe, it } from "vitest"
import { layerSqlStores, type SqlStores } from "./layerSqlStores.ts"
import { layerSqlite } from "./sqlite/layerSqlite.ts"
import { temporaryDatabase } from "./fixtures/temporaryDatabase.ts"

const makeStores = (): Layer.Layer<SqlStores> =>
  Layer.unwrapScoped(
    Effect.map(temporaryDatabase, (filename) =>
      layerSqlStores({ network: "testnet" }).pipe(
        Layer.provide(layerSqlite({ filename })),
        Layer.provide(Entropy.live)
      )
    )
  )

const suites: Readonly<Record<string, ReadonlyArray<Law>>> = {
  directory: directoryLaws(makeStores),
  ledger: ledgerLaws(makeStores),
  results: resultStoreLaws(makeStores),
  idempotency: idempotencyLaws(makeStores),
  programs: programStoreLaws(makeStores)
}

for (const [name, laws] of Object.entries(suites)) {
  describe(`SQLite ${name}`, () => {
    it.each(laws)("$name", ({ run }) => Effect.runPromise(run))
  })
}
