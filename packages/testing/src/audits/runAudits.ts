/** Runs audits against a target, one after the other, and grades it. */
import type { Audit, AuditResult, Level } from "./audit.ts"

/** One audit and what it found. */
export interface ReportEntry {
  readonly id: string
  readonly level: Level
  readonly clause: string
  readonly title: string
  readonly result: AuditResult
}

/** How many audits of one level ended which way. */
export interface Tally {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** The grade of a target as data. It conforms when no MUST failed. */
export interface Report {
  readonly conforms: boolean
  readonly levels: Readonly<Record<Level, Tally>>
  readonly entries: ReadonlyArray<ReportEntry>
}

const count = (entries: ReadonlyArray<ReportEntry>, kind: AuditResult["kind"]): number =>
  entries.filter((entry) => entry.result.kind === kind).length

const tallyOf = (entries: ReadonlyArray<ReportEntry>, level: Level): Tally => {
  const ofLevel = entries.filter((entry) => entry.level === level)
  return { passed: count(ofLevel, "passed"), failed: count(ofLevel, "failed"), skipped: count(ofLevel, "skipped") }
}

/** Grades what was found. */
export const gradeOf = (entries: ReadonlyArray<ReportEntry>): Report => {
  const levels = { MUST: tallyOf(entries, "MUST"), SHOULD: tallyOf(entries, "SHOULD"), MAY: tallyOf(entries, "MAY") }
  return { conforms: levels.MUST.failed === 0, levels, entries }
}

/** Runs the audits in their order. Never rejects: whatever a target does is in the report. */
export const runAudits = async <Target>(target: Target, audits: ReadonlyArray<Audit<Target>>): Promise<Report> => {
  const entries: Array<ReportEntry> = []
  for (const { id, level, clause, title, run } of audits) {
    entries.push({ id, level, clause, title, result: await run(target) })
  }
  return gradeOf(entries)
}
