/** Laws as tests of vitest, in one line: `describeLaws("my ledger", ledgerLaws(makeStores))`. */
import { Effect } from "effect"
import { describe, it } from "vitest"
import type { Law } from "./laws/form/law.ts"

/** Longer than any law takes, also on a database far away. */
const timeout = 120_000

/** Defines a test for each law, which fails with what the law expected; `allStoreLaws` gives several lists by name. */
export const describeLaws = (name: string, laws: ReadonlyArray<Law> | Readonly<Record<string, ReadonlyArray<Law>>>): void => {
  describe(name, () => {
    if (isList(laws)) for (const { name: law, run } of laws) it(law, { timeout }, () => Effect.runPromise(run))
    else for (const [store, own] of Object.entries(laws)) describeLaws(store, own)
  })
}

const isList = (laws: ReadonlyArray<Law> | Readonly<Record<string, ReadonlyArray<Law>>>): laws is ReadonlyArray<Law> => Array.isArray(laws)
