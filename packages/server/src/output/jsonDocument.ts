/** The JSON document that scripts read: bigints as decimal strings, no secrets. */
import { Redacted } from "effect"

const plain = (_name: string, value: unknown): unknown => {
  if (typeof value === "bigint") return String(value)
  return Redacted.isRedacted(value) ? "<redacted>" : value
}

/** The document in one line. */
export const jsonDocument = (value: unknown): string => JSON.stringify(value, plain)
