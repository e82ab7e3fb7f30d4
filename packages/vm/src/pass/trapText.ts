/** The texts of traps: our own, one for each cause, independent of the engine. */

/** Fragments of the messages of V8 and JavaScriptCore, and our texts. The first match applies. */
const texts: ReadonlyArray<readonly [fragment: RegExp, text: string]> = [
  [/unreachable/i, "unreachable"],
  // JavaScriptCore does not distinguish division and remainder.
  [/(divide|division|remainder) by zero/i, "integer divide by zero or remainder by zero"],
  [/divide result unrepresentable|integer overflow/i, "divide result unrepresentable"],
  [/float unrepresentable|trunc/i, "float unrepresentable in integer range"],
  [/null function|signature|null table entry/i, "null function or function signature mismatch"],
  [/memory access|memory\.|data segment/i, "memory access out of bounds"],
  [/table|call_indirect|element/i, "table index is out of bounds"]
]

/** Our text for an engine's trap. */
export const trapText = (engineMessage: string): string => texts.find(([fragment]) => fragment.test(engineMessage))?.[1] ?? "trap"
