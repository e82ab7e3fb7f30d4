/** The stores on SQLite and on PostgreSQL keep the laws, the same that the stores in memory keep. */
import { allStoreLaws } from "@sibyl/testing"
import { Effect } from "effect"
import { describe, it } from "vitest"
import { describeDatabases, layerTestStores, type TestDatabase } from "./fixtures/testDatabases.ts"

/**
 * Bun has an SQLite of its own, but asks PostgreSQL the same statements by the same driver as Node: that the driver works there is shown
 * by every other test of PostgreSQL.
 */
const isRepeated = ({ kind }: TestDatabase): boolean => kind === "PostgreSQL" && process.versions["bun"] !== undefined

describeDatabases("the laws", (database) => {
  for (const [name, laws] of Object.entries(allStoreLaws(() => layerTestStores(database)))) {
    describe.skipIf(isRepeated(database))(`${name}${isRepeated(database) ? " (skipped: the same as on Node)" : ""}`, () => {
      it.each(laws)("$name", ({ run }) => Effect.runPromise(run))
    })
  }
})
