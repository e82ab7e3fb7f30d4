/** The stored form of a report: JSON as its schema specifies, written at a fraction of the schema's cost and decoded with the schema. */
import { ExecutionReport, lastResultKeyOf } from "@sibyl/core"
import { Schema } from "effect"
import type { WrittenReport } from "./writtenReport.ts"

const base64 = ({ buffer, byteLength, byteOffset }: Uint8Array): string => Buffer.from(buffer, byteOffset, byteLength).toString("base64")

/** The JSON form of a value: integers of any size as text, bytes as base64. */
const stored = (value: unknown): unknown => {
  switch (typeof value) {
    case "bigint":
      return value.toString()
    case "object":
      if (value === null) return value
      if (value instanceof Uint8Array) return base64(value)
      return Array.isArray(value) ? value.map(stored) : storedMembers(value)
    default:
      return value
  }
}

const storedMembers = (members: object): Record<string, unknown> => {
  const made: Record<string, unknown> = {}
  for (const name in members) made[name] = stored((members as Record<string, unknown>)[name])
  return made
}

/** The complete report as text, beginning with its id. */
export const encodeReport = (report: ExecutionReport): string => JSON.stringify(storedMembers(report))

/** Decodes a body. */
export const decodeReport: (body: string) => ExecutionReport = Schema.decodeSync(Schema.parseJson(ExecutionReport))

/** The report as it is written. */
export const writtenReportOf = (report: ExecutionReport): WrittenReport => {
  const { cost, dataRequest, dataResult, executedAtMs, id, projectId } = report
  return {
    id,
    projectId,
    cost: { total: cost.total },
    execProgramId: dataRequest.execProgramId,
    drId: dataResult.drId,
    requestKey: lastResultKeyOf(dataRequest),
    exitCode: dataResult.exitCode,
    executedAtMs,
    body: encodeReport(report),
    bodyTotal: cost.total
  }
}
