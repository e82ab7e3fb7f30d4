/** The report for people: a table by heading, then what failed, what was skipped and why, and the verdict. */
import type { AuditResult, Level } from "../audits/audit.ts"
import { headings } from "./headings.ts"
import type { ConformEntry, ConformReport } from "./runConform.ts"

const levels: ReadonlyArray<Level> = ["MUST", "SHOULD", "MAY"]

const counted = (entries: ReadonlyArray<ConformEntry>, kind: AuditResult["kind"]): number =>
  entries.filter(({ result }) => result.kind === kind).length

const cellOf = (entries: ReadonlyArray<ConformEntry>, level: Level): string => {
  const ofLevel = entries.filter((entry) => entry.level === level)
  if (ofLevel.length === 0) return "-"
  const failed = counted(ofLevel, "failed")
  const skipped = counted(ofLevel, "skipped")
  const rest = [...(failed === 0 ? [] : [`${failed} failed`]), ...(skipped === 0 ? [] : [`${skipped} skipped`])]
  return [`${counted(ofLevel, "passed")} of ${ofLevel.length}`, ...rest].join(", ")
}

const tableOf = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd()
  )
}

const headingTable = (entries: ReadonlyArray<ConformEntry>): ReadonlyArray<string> => {
  const present = [...headings, "Other"].filter((heading) => entries.some((entry) => entry.heading === heading))
  const rowOf = (name: string, of: ReadonlyArray<ConformEntry>): ReadonlyArray<string> => [
    name,
    ...levels.map((level) => cellOf(of, level))
  ]
  return tableOf([
    ["Heading", ...levels],
    ...present.map((heading) =>
      rowOf(
        heading,
        entries.filter((entry) => entry.heading === heading)
      )
    ),
    rowOf("All", entries)
  ])
}

/** One failed audit with its checks and what was sent and received. */
export const failureText = ({ heard, id, level, result, title, waiver }: ConformEntry): ReadonlyArray<string> => {
  if (result.kind !== "failed") return []
  const checks = result.failures.flatMap(({ actual, expected, what }) => [
    `  ${what}`,
    `    expected: ${expected ?? "-"}`,
    `    found:    ${actual ?? "-"}`
  ])
  const exchange = heard.length === 0 ? [] : ["  What was sent (>) and received (<):", ...heard.map((line) => `    ${line}`)]
  const waived = waiver === undefined ? "" : ` (waived until ${waiver.until}: ${waiver.reason})`
  return [`${id} ${level} ${title}${waived}`, ...checks, ...exchange, ""]
}

const skippedText = (entries: ReadonlyArray<ConformEntry>): ReadonlyArray<string> => {
  const idsOfReason = new Map<string, Array<string>>()
  for (const { id, result } of entries) {
    if (result.kind === "skipped") idsOfReason.set(result.reason, [...(idsOfReason.get(result.reason) ?? []), id])
  }
  return [...idsOfReason].flatMap(([reason, ids]) => [`  ${reason}:`, `    ${ids.join(" ")}`])
}

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> => (lines.length === 0 ? [] : [title, ...lines, ""])

const verdictOf = ({ conforms, entries }: ConformReport): string => {
  const skipped = counted(entries, "skipped")
  const waived = entries.filter(({ waiver }) => waiver !== undefined).length
  const but = [...(waived === 0 ? [] : [`${waived} waived`]), ...(skipped === 0 ? [] : [`${skipped} not tried`])]
  const suffix = but.length === 0 ? "" : ` (${but.join(", ")})`
  if (counted(entries, "passed") + counted(entries, "failed") === 0) return "Nothing was tried, so nothing is shown."
  return conforms ? `The service conforms${suffix}.` : `The service does not conform${suffix}.`
}

/** The whole report. */
export const humanReport = (report: ConformReport): string => {
  const failed = report.entries.filter(({ result }) => result.kind === "failed")
  return [
    ...headingTable(report.entries),
    "",
    ...section("Failed", failed.flatMap(failureText)),
    ...section("Skipped", skippedText(report.entries)),
    ...section(
      "Waivers without a failure",
      report.needlessWaivers.map(({ id, reason }) => `  ${id}: ${reason}`)
    ),
    `${report.entries.length} audits in ${(report.elapsedMs / 1_000).toFixed(1)} s, ${report.creditsSpent ?? "an unknown number of"} credits spent.`,
    verdictOf(report),
    ""
  ].join("\n")
}

const marks = { passed: "ok  ", failed: "FAIL", skipped: "skip" } as const

/** One audit as it ends, numbered. */
export const progressLine = ({ elapsedMs, id, result, title, waiver }: ConformEntry, number: number, count: number): string =>
  `${String(number).padStart(String(count).length)}/${count} ${waiver === undefined ? marks[result.kind] : "waiv"} ${id} ${title} (${Math.round(elapsedMs)} ms)`
