/** The heading of each audit: the section of the checklist that its rule is from. */
import { conformanceClauses } from "../conformance/clauses.ts"

/** The sections, in the order of the interface. */
export const headings: ReadonlyArray<string> = conformanceClauses.map(({ title }) => title)

/** How many clauses of each section an audit shows. */
const countsOfAudit = new Map<string, Map<string, number>>()
for (const { clauses, title } of conformanceClauses) {
  for (const [, ...shownBy] of clauses) {
    for (const id of shownBy) {
      const counts = countsOfAudit.get(id) ?? new Map<string, number>()
      countsOfAudit.set(id, counts.set(title, (counts.get(title) ?? 0) + 1))
    }
  }
}

/** The section of which the audit shows most clauses; of several, the first. */
export const headingOf = (auditId: string): string => {
  const [most] = [...(countsOfAudit.get(auditId) ?? [])].toSorted(([, a], [, b]) => b - a)
  return most?.[0] ?? "Other"
}

/** What the clauses say that an audit shows. */
export const clausesOf = (auditId: string): ReadonlyArray<string> =>
  conformanceClauses.flatMap(({ clauses }) => clauses.flatMap(([says, ...shownBy]) => (shownBy.includes(auditId) ? [says] : [])))
