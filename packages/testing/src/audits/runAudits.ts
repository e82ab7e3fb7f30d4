/** Runs audits against a target and grades it. */
import type { Audit, AuditResult, Level } from "./audit.ts"

/** One audit and its result. */
export interface ReportEntry {
  readonly id: string
  readonly level: Level
  readonly clause: string
  readonly title: string
  readonly result: AuditResult
}

/** How many audits of one level passed, failed or were skipped. */
export interface Tally {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** The grade of a target as data. A target conforms if no MUST failed. */
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

/** Grades results. */
export const gradeOf = (entries: ReadonlyArray<ReportEntry>): Report => {
  const levels = { MUST: tallyOf(entries, "MUST"), SHOULD: tallyOf(entries, "SHOULD"), MAY: tallyOf(entries, "MAY") }
  return { conforms: levels.MUST.failed === 0, levels, entries }
}

const entryOf = async <Target>(target: Target, { clause, id, level, run, title }: Audit<Target>): Promise<ReportEntry> => ({
  id,
  level,
  clause,
  title,
  result: await run(target)
})

/**
 * Runs the audits one after the other, and concurrently with them those that may be; the last one alone at the end, because it may stop the
 * target. Entries are in the order of the audits. Never rejects: whatever a target does is in the report.
 */
export const runAudits = async <Target>(target: Target, audits: ReadonlyArray<Audit<Target>>): Promise<Report> => {
  const begun = new Map(audits.flatMap((audit, index) => (audit.isBeside === true ? [[index, entryOf(target, audit)] as const] : [])))
  const entries: Array<Promise<ReportEntry>> = []
  for (const [index, audit] of audits.entries()) {
    if (index === audits.length - 1) await Promise.all(begun.values())
    const entry = begun.get(index) ?? entryOf(target, audit)
    if (!begun.has(index)) await entry
    entries.push(entry)
  }
  return gradeOf(await Promise.all(entries))
}
