/** Whether what a caller gives `verify` are options of it: one that is misspelled, or whose value got lost, would check nothing. */
import { type Refused, refused } from "./verdict.ts"

const expectations = ["drId", "programId", "tallyProgramId", "freshness", "requireSuccess"]

/** What goes with each way to name the trusted keys. */
const signers = { keys: ["keys", "nowMs"], publicKeys: ["publicKeys", "network"], publicKey: ["publicKey"] }

const listOf = (names: ReadonlyArray<string>): string => `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`

/** The first thing that is no option of `verify`, or has no value. */
export const unknownOption = (options: unknown): Refused | undefined => {
  if (typeof options !== "object" || options === null) return refused("badOption", "the options must be an object with the trusted keys")
  const kind = (["keys", "publicKeys", "publicKey"] as const).find((name) => name in options)
  if (kind === undefined) return refused("badOption", "publicKey, publicKeys or keys must be given", "publicKey")
  const known = [...signers[kind], ...expectations]
  for (const [name, value] of Object.entries(options)) {
    if (!known.includes(name)) return refused("badOption", `beside ${kind}, an option is one of ${listOf(known)}`, name)
    if (value === undefined) return refused("badOption", `${name} is undefined: leave it out if it is not to be checked`, name)
  }
  return undefined
}
