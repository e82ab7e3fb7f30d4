/** The heading of each audit: the section of the checklist that its rule is from. */
import { conformanceClauses } from "../conformance/clauses.ts"

/** The sections, in the order of the interface. */
export const headings: ReadonlyArray<string> = conformanceClauses.map(({ title }) => title)

const headingOfAudit = new Map<string, string>()
for (const { clauses, title } of conformanceClauses) {
  for (const [, ...shownBy] of clauses) {
    for (const id of shownBy) if (!headingOfAudit.has(id)) headingOfAudit.set(id, title)
  }
}

/** The first section with a clause that the audit shows. */
export const headingOf = (auditId: string): string => headingOfAudit.get(auditId) ?? "Other"

/** What the clauses say that an audit shows. */
export const clausesOf = (auditId: string): ReadonlyArray<string> =>
  conformanceClauses.flatMap(({ clauses }) => clauses.flatMap(([says, ...shownBy]) => (shownBy.includes(auditId) ? [says] : [])))
