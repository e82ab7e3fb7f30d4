/** The texts of the engine's traps: ours, one for each cause, whatever the engine calls it. */

/** Fragments of the messages of V8 and JavaScriptCore, and what we say instead. The first that fits holds. */
const texts: ReadonlyArray<readonly [fragment: RegExp, text: string]> = [
  [/unreachable/i, "unreachable"],
  // JavaScriptCore does not tell division and remainder apart.
  [/(divide|division|remainder) by zero/i, "integer divide by zero or remainder by zero"],
  [/divide result unrepresentable|integer overflow/i, "divide result unrepresentable"],
  [/float unrepresentable|trunc/i, "float unrepresentable in integer range"],
  [/null function|signature|null table entry/i, "null function or function signature mismatch"],
  [/memory access|memory\.|data segment/i, "memory access out of bounds"],
  [/table|call_indirect|element/i, "table index is out of bounds"]
]

/** Our text for an engine's trap. */
export const trapText = (engineMessage: string): string => texts.find(([fragment]) => fragment.test(engineMessage))?.[1] ?? "trap"
