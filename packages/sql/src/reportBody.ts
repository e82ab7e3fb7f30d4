/** The stored form of a report: JSON as its schema says, written at a third of the schema's cost and read with it. */
import { ExecutionReport } from "@sibyl/core"
import { Schema } from "effect"

const base64 = ({ buffer, byteLength, byteOffset }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64")

/** Looks at the value itself: a `Buffer` would have made something else of itself by now. */
function stored(this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
  if (typeof value === "bigint") return `${value}`
  const raw = this[key]
  return raw instanceof Uint8Array ? base64(raw) : value
}

/** The body of a report, which says everything about it. It begins with its id. */
export const encodeReport = (report: ExecutionReport): string => JSON.stringify(report, stored)

/** The report of a body. */
export const decodeReport: (body: string) => ExecutionReport = Schema.decodeSync(Schema.parseJson(ExecutionReport))
