/** Renders docs/CONFORMANCE.md: the grades of our targets, every clause with its audits and tests, then every audit with its rule. */
import type { Clause, ClauseSection } from "./clause.ts"
import type { TargetGrade } from "./targetGrades.ts"
import { readTestEvidence } from "./testEvidence.ts"
import { unauditedClauses } from "./unauditedClauses.ts"

/** An audit as the page shows it. */
export interface ListedAudit {
  readonly id: string
  readonly level: string
  readonly clause: string
  readonly title: string
}

/** Whether evidence is an audit's id rather than a test. */
export const isAuditId = (shownBy: string): boolean => /^(?:REST|WS)-[A-Z]+-\d{3}$/.test(shownBy)

const cell = (text: string): string => text.replaceAll("|", "\\|")

const evidence = (shownBy: string): string => {
  const found = readTestEvidence(shownBy)
  if (found === undefined) return shownBy
  const name = found.path.replace(/^.*\//, "").replace(/\.test\.ts$/, "")
  return `[${name}](../${found.path}) “${cell(found.title)}”`
}

const row = ([says, ...shownBy]: Clause): string => {
  const reason = unauditedClauses.get(says)
  const because = reason === undefined ? "" : `; no audit: ${cell(reason)}`
  return `| ${cell(says)} | ${shownBy.map(evidence).join("; ")}${because} |`
}

const sectionText = ({ clauses, title }: ClauseSection): ReadonlyArray<string> => [
  `## ${title}`,
  "",
  "| Clause | Shown by |",
  "|---|---|",
  ...clauses.map(row),
  ""
]

const auditRow = ({ clause, id, level, title }: ListedAudit): string => {
  const of = clause.replaceAll("interface.md#", "")
  return `| ${id} | ${level} | ${cell(title)} | ${cell(of)} |`
}

const introduction = (sections: ReadonlyArray<ClauseSection>, audits: ReadonlyArray<ListedAudit>): ReadonlyArray<string> => {
  const count = sections.reduce((sum, { clauses }) => sum + clauses.length, 0)
  return [
    "# Conformance",
    "",
    `What the interface requires, clause by clause, and what shows that it is met: ${count} clauses, ${audits.length} audits.`,
    "[DECISIONS.md](DECISIONS.md) explains the decisions D1 to D46.",
    "",
    "Ids such as `REST-EXEC-001` are audits: rules as data, run against the service over both adapters",
    "(`restAudits.test.ts` and `wsAudits.test.ts` in `packages/adapter-express/src` and `packages/adapter-bun/src`).",
    "Every audit has at least one seeded fault, a way to break the service that the audit must find",
    "(`packages/testing/src/audits/rest/faults/restFaults.test.ts`, `packages/adapter-express/src/wsFaults.test.ts`).",
    "",
    "A link leads to a test file, followed by the title of the test. `%s`, `$name` and `${…}` stand for",
    "values from a table of cases.",
    "",
    `${count - unauditedClauses.size} clauses have audits; the other ${unauditedClauses.size} say beside their tests why no audit can show them.`,
    "",
    "`npm run conformance -w packages/testing` generates this page from `packages/testing/src/conformance/clauses.ts`.",
    "`clauses.test.ts` checks that the page is up to date, that every test named here exists, runs and asserts",
    "something, that every audit is named, that every clause has an audit or the reason why it has none, that each field and parameter",
    "has an audit of its own, and that every decision has a clause and is in DECISIONS.md.",
    ""
  ]
}

const gradeRow = (audits: ReadonlyArray<ListedAudit>, { audits: kind, runtimes, shownBy, skipped, title }: TargetGrade): string => {
  const made = audits.filter(({ id }) => id.startsWith(kind === "REST" ? "REST-" : "WS-"))
  const cellOf = (level: string): string => {
    const ofLevel = made.filter((audit) => audit.level === level)
    const passed = ofLevel.filter(({ id }) => !skipped.includes(id)).length
    return ofLevel.length === 0 ? "-" : `${passed} of ${ofLevel.length}`
  }
  const notMade = skipped.length === 0 ? "" : skipped.join(", ")
  const name = shownBy.replace(/^(?:packages|examples)\//, "").replace(/\.test\.ts$/, "")
  return `| ${title} | ${kind} | ${runtimes.join(", ")} | ${cellOf("MUST")} | ${cellOf("SHOULD")} | ${notMade} | [${name}](../${shownBy}) |`
}

/** What each of our own targets passes. The tests hold the targets to it. */
const gradesText = (audits: ReadonlyArray<ListedAudit>, grades: ReadonlyArray<TargetGrade>): ReadonlyArray<string> => [
  "## Our targets",
  "",
  "What is not passed cannot be made there, and nothing is waived. Each test fails if its target's grade is another one.",
  "",
  "| Target | Audits | On | MUST | SHOULD | Not made there | Shown by |",
  "|---|---|---|---|---|---|---|",
  ...grades.map((grade) => gradeRow(audits, grade)),
  ""
]

/** Writes the page. */
export const conformancePage = (
  sections: ReadonlyArray<ClauseSection>,
  audits: ReadonlyArray<ListedAudit>,
  grades: ReadonlyArray<TargetGrade>
): string =>
  [
    ...introduction(sections, audits),
    ...gradesText(audits, grades),
    ...sections.flatMap(sectionText),
    "## The audits",
    "",
    "| Id | Level | Rule | Of |",
    "|---|---|---|---|",
    ...audits.map(auditRow),
    ""
  ].join("\n")
