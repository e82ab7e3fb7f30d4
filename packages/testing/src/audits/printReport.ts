/** A report as text. */
import type { Level } from "./audit.ts"
import type { Check } from "./check.ts"
import type { Report, ReportEntry } from "./runAudits.ts"

const marks = { passed: "ok  ", failed: "FAIL", skipped: "skip" } as const

/** A failed check with what was expected and found. */
export const failureText = ({ what, expected, actual }: Check): string =>
  `       ${what}\n         expected: ${expected ?? "-"}\n         found:    ${actual ?? "-"}`

const entryText = ({ id, level, clause, title, result }: ReportEntry): string => {
  const head = `${marks[result.kind]} ${id} ${level} ${title} [${clause}]`
  if (result.kind === "skipped") return `${head}\n       ${result.reason}`
  return result.kind === "failed" ? [head, ...result.failures.map(failureText)].join("\n") : head
}

const levelText = (report: Report, level: Level): string => {
  const { passed, failed, skipped } = report.levels[level]
  return `${level}: ${passed} passed, ${failed} failed, ${skipped} skipped`
}

/** Every entry with its failures, then one line per level and the verdict. `onlyFailures` omits entries that passed. */
export const printReport = (report: Report, { onlyFailures = false }: { readonly onlyFailures?: boolean } = {}): string => {
  const entries = onlyFailures ? report.entries.filter((entry) => entry.result.kind !== "passed") : report.entries
  const summary = (["MUST", "SHOULD", "MAY"] as const).map((level) => levelText(report, level))
  return [...entries.map(entryText), "", ...summary, report.conforms ? "The target conforms." : "The target does not conform."].join("\n")
}
