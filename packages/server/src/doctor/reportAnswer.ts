/** The doctor's findings in the two forms of an answer. */
import type { Answer } from "../output/answer.ts"
import type { Colour } from "../output/paint.ts"
import { type Column, table } from "../output/table.ts"
import type { Finding, FindingStatus } from "./finding.ts"

const colours: Readonly<Record<FindingStatus, Colour>> = {
  ok: "green",
  warning: "yellow",
  failed: "red",
  skipped: "dim"
}

const columns: ReadonlyArray<Column<Finding>> = [
  { head: "check", cell: ({ check }) => check },
  { head: "status", cell: ({ status }, paint) => paint(colours[status], status) },
  { head: "finding", cell: ({ message }) => message }
]

/** Whether a server would work. */
export const isHealthy = (findings: ReadonlyArray<Finding>): boolean => findings.every(({ status }) => status !== "failed")

/** The report. */
export const reportAnswer = (findings: ReadonlyArray<Finding>): Answer => ({
  document: { healthy: isHealthy(findings), checks: findings },
  lines: (paint) => table(findings, columns, "", paint)
})
