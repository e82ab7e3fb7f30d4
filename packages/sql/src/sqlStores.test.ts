/** The stores on SQLite and on PostgreSQL keep the laws, the same that the stores in memory keep. */
import { allStoreLaws } from "@sibyl/testing"
import { Effect } from "effect"
import { describe, it } from "vitest"
import { describeDatabases, layerTestStores } from "./fixtures/testDatabases.ts"

describeDatabases("the laws", (database) => {
  for (const [name, laws] of Object.entries(allStoreLaws(() => layerTestStores(database)))) {
    describe(name, () => {
      it.each(laws)("$name", ({ run }) => Effect.runPromise(run))
    })
  }
})
