/** The form of what a phase ends with: a runtime of an embedder's own may tell anything, and what it tells is charged and signed. */

const isGas = (value: unknown): boolean => typeof value === "bigint" && value >= 0n
const isText = (value: unknown): boolean => typeof value === "string"

const gasRule = "must be a bigint, 0 or more"
const textRule = "must be a string"

const rules: ReadonlyArray<readonly [field: string, isIt: (value: unknown) => boolean, rule: string]> = [
  ["exitCode", Number.isSafeInteger, "must be a whole number"],
  ["exitMessage", isText, textRule],
  ["gasUsed", isGas, gasRule],
  ["gasCharged", isGas, gasRule],
  ["result", (value) => value instanceof Uint8Array, "must be a Uint8Array"],
  ["stdout", isText, textRule],
  ["stderr", isText, textRule],
  ["proxies", Array.isArray, "must be an array"]
]

/** The rule that a phase's outcome breaks, with the field; undefined: it has the form of one. */
export const brokenOutcome = (outcome: unknown): string | undefined => {
  if (typeof outcome !== "object" || outcome === null) return "must be an object"
  for (const [field, isIt, rule] of rules) {
    if (!isIt((outcome as Readonly<Record<string, unknown>>)[field])) return `${field} ${rule}`
  }
  return undefined
}
