/** Page 1,000 of a history costs the same as page 1: both begin at their position in the index and read no further. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Entropy, Network } from "@sibyl/core"
import { Effect, Layer } from "effect"
import { expect, test } from "vitest"
import { temporaryDatabase } from "../fixtures/temporaryDatabase.ts"
import { layerSqlStores } from "../layerSqlStores.ts"
import { layerSqlite } from "../sqlite/layerSqlite.ts"
import { pageStatement } from "./sqlResultStore.ts"

const reports = { projectId: "p", drId: "d1".repeat(32), amount: 100 }
const queries = [
  reports,
  { ...reports, before: { executedAtMs: 5, sequence: 9 } },
  { ...reports, startMs: 1, endMs: 9, before: { executedAtMs: 5, sequence: 9 } }
]

const plans = Effect.gen(function* () {
  const filename = yield* temporaryDatabase
  const database = layerSqlite({ filename })
  const network = Network.layer({ name: "testnet", chainId: "sibyl-1-test" })
  const stores = layerSqlStores.pipe(Layer.provide(Layer.merge(Entropy.layer, network)), Layer.provideMerge(database))
  return yield* Effect.gen(function* () {
    const sql = yield* SqlClient
    return yield* Effect.forEach(queries, (query) => {
      const [text, values] = pageStatement(sql, query).compile()
      return sql.unsafe<{ readonly detail: string }>(`EXPLAIN QUERY PLAN ${text}`, values)
    })
  }).pipe(Effect.provide(stores))
})

test("every page is one search of the index of pages, in its order, without sorting", async () => {
  const found = await Effect.runPromise(Effect.scoped(plans))
  for (const steps of found) {
    const details = steps.map(({ detail }) => detail)
    expect(details).toHaveLength(1)
    expect(details[0]).toMatch(/^SEARCH reports USING INDEX reports_page \(project_id=\? AND dr_id=\?/)
  }
  // Later pages begin at their position.
  expect(found[1]?.[0]?.detail).toMatch(/executed_at_ms/)
})
