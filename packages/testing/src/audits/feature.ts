/** Audits of what a service need not have: skipped with the reason where the target says that it lacks it. */
import type { Audit } from "./audit.ts"

/** Skips the audits where the target's fact of this name is `false`; where it says nothing, they run. */
export const skippedWithout = <Name extends string, Target extends { readonly [Fact in Name]?: boolean | undefined }>(
  fact: Name,
  reason: string,
  audits: ReadonlyArray<Audit<Target>>
): ReadonlyArray<Audit<Target>> =>
  audits.map((each) => ({
    ...each,
    run: async (target) => (target[fact] === false ? { kind: "skipped", reason } : each.run(target))
  }))
