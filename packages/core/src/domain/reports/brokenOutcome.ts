/** The form of what a phase ends with: a runtime of an embedder's own may tell anything, and what it tells is charged and signed. */

const isGas = (value: unknown): boolean => typeof value === "bigint" && value >= 0n
const isText = (value: unknown): boolean => typeof value === "string"

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0

type Is = (value: unknown) => boolean

const optional =
  (isIt: Is): Is =>
  (value) =>
    value === undefined || isIt(value)
const withFields =
  (fields: Readonly<Record<string, Is>>): Is =>
  (value) =>
    typeof value === "object" &&
    value !== null &&
    Object.entries(fields).every(([field, isIt]) => isIt((value as Readonly<Record<string, unknown>>)[field]))
const listOf =
  (isIt: Is): Is =>
  (value) =>
    Array.isArray(value) && value.every((each) => isIt(each))
const orNull =
  (isIt: Is): Is =>
  (value) =>
    value === null || isIt(value)

const gasRule = "must be a bigint, 0 or more"
const textRule = "must be a string"

const rules: ReadonlyArray<readonly [field: string, isIt: Is, rule: string]> = [
  ["exitCode", Number.isSafeInteger, "must be a whole number"],
  ["exitMessage", isText, textRule],
  ["gasUsed", isGas, gasRule],
  ["gasCharged", isGas, gasRule],
  ["result", (value) => value instanceof Uint8Array, "must be a Uint8Array"],
  ["stdout", isText, textRule],
  ["stderr", isText, textRule],
  ["proxies", Array.isArray, "must be an array"],
  [
    "proxies",
    listOf(withFields({ publicKey: isText, feeCredits: isGas, calls: isCount })),
    "must have of each a publicKey, a string, feeCredits, a bigint, and calls, a number"
  ],
  ["reason", optional(isText), "must be a string, or absent"],
  [
    "limits",
    optional(listOf(withFields({ limit: isText, allowed: orNull(isText) }))),
    "must have of each a limit, a string, and what is allowed, a string or null, or be absent"
  ],
  [
    "storage",
    optional(listOf(withFields({ key: isText, value: orNull(isText) }))),
    "must have of each write a key, a string, and a value, a string or null, or be absent"
  ],
  ["prefetch", optional(withFields({})), "must be an object, or absent"],
  [
    "tape",
    optional((tape) => isText(tape) || withFields({ bytes: isCount })(tape)),
    "must be a string, or an object with bytes, or absent"
  ],
  ["hostCalls", optional(Array.isArray), "must be an array, or absent"]
]

/** The rule that a phase's outcome breaks, with the field; undefined: it has the form of one. */
export const brokenOutcome = (outcome: unknown): string | undefined => {
  if (typeof outcome !== "object" || outcome === null) return "must be an object"
  for (const [field, isIt, rule] of rules) {
    if (!isIt((outcome as Readonly<Record<string, unknown>>)[field])) return `${field} ${rule}`
  }
  return undefined
}
