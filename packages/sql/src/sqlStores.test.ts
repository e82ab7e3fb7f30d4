/** The stores on SQLite and PostgreSQL satisfy the same laws as the stores in memory. */
import { allStoreLaws } from "@sibyl/testing"
import { Effect } from "effect"
import { describe, it } from "vitest"
import { describeDatabases, layerTestStores, type TestDatabase } from "./fixtures/testDatabases.ts"

/**
 * Bun has its own SQLite, but sends PostgreSQL the same statements through the same driver as Node: every other PostgreSQL test shows that
 * the driver works there.
 */
const isRepeated = ({ kind }: TestDatabase): boolean => kind === "PostgreSQL" && process.versions["bun"] !== undefined

describeDatabases("the laws", (database) => {
  for (const [name, laws] of Object.entries(allStoreLaws(() => layerTestStores(database)))) {
    describe.skipIf(isRepeated(database))(`${name}${isRepeated(database) ? " (skipped: the same as on Node)" : ""}`, () => {
      it.each(laws)("$name", ({ run }) => Effect.runPromise(run))
    })
  }
})
