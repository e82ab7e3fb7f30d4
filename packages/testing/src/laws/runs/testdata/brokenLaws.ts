/** For tests of laws: the names of those that an implementation breaks. */
import { Effect } from "effect"
import type { Law } from "../../form/law.ts"

/** Runs laws one after the other and returns the names of the broken ones. A law that dies is broken, too. */
export const brokenLaws = async (laws: ReadonlyArray<Law>): Promise<ReadonlyArray<string>> => {
  const broken: Array<string> = []
  for (const { name, run } of laws) if ((await Effect.runPromiseExit(run))._tag === "Failure") broken.push(name)
  return broken
}
