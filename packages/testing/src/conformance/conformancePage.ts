/** The page docs/CONFORMANCE.md as a text: every clause with its audits and tests, then every audit with its rule. */
import type { Clause, ClauseSection } from "./clause.ts"

/** An audit as the page shows it. */
export interface ListedAudit {
  readonly id: string
  readonly level: string
  readonly clause: string
  readonly title: string
}

/** Whether evidence is an audit's id rather than the path of a test file. */
export const isAuditId = (shownBy: string): boolean => /^(?:REST|WS)-[A-Z]+-\d{3}$/.test(shownBy)

const cell = (text: string): string => text.replaceAll("|", "\\|")

const evidence = (shownBy: string): string => {
  if (isAuditId(shownBy)) return shownBy
  const name = shownBy.replace(/^.*\//, "").replace(/\.test\.ts$/, "")
  return `[${name}](../${shownBy})`
}

const row = ([says, ...shownBy]: Clause): string => `| ${cell(says)} | ${shownBy.map(evidence).join(", ")} |`

const sectionText = ({ clauses, title }: ClauseSection): ReadonlyArray<string> => [
  `## ${title}`,
  "",
  "| Clause | Shown by |",
  "|---|---|",
  ...clauses.map(row),
  ""
]

const auditRow = ({ clause, id, level, title }: ListedAudit): string => {
  const of = clause.replaceAll("interface.md#", "").replaceAll("quality.md#", "")
  return `| ${id} | ${level} | ${cell(title)} | ${cell(of)} |`
}

const introduction = (
  sections: ReadonlyArray<ClauseSection>,
  audits: ReadonlyArray<ListedAudit>
): ReadonlyArray<string> => {
  const count = sections.reduce((sum, { clauses }) => sum + clauses.length, 0)
  return [
    "# Conformance",
    "",
    "What the interface demands, clause by clause, and what shows that it is kept. Ids such as `REST-EXEC-001` are",
    "audits: rules as data, run against the service over both adapters; seeded faults show that they see what they are",
    `for. Links lead to test files. ${count} clauses, ${audits.length} audits.`,
    "[DECISIONS.md](DECISIONS.md) explains D1 to D46.",
    "",
    "`npm run conformance -w packages/testing` writes this page from `packages/testing/src/conformance/clauses.ts`.",
    "A test holds that it is up to date, that everything named here exists and that no audit is left out.",
    ""
  ]
}

/** Writes the page. */
export const conformancePage = (
  sections: ReadonlyArray<ClauseSection>,
  audits: ReadonlyArray<ListedAudit>
): string =>
  [
    ...introduction(sections, audits),
    ...sections.flatMap(sectionText),
    "## The audits",
    "",
    "| Id | Level | Rule | Of |",
    "|---|---|---|---|",
    ...audits.map(auditRow),
    ""
  ].join("\n")
