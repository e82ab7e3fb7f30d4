/** What an audit is about: its rule, why it is one, what would break it, and, of a run, what was sent and what had to come. */
import type { Audit } from "../audits/audit.ts"
import { everyRestFault } from "../audits/rest/faults/everyRestFault.ts"
import type { WsTarget } from "../audits/ws/wsTarget.ts"
import { wsFaults } from "../audits/ws/faults/wsFaults.ts"
import { clausesOf, headingOf } from "./headings.ts"
import { failureText } from "./humanReport.ts"
import type { ConformEntry } from "./runConform.ts"

const faultsOf = (auditId: string): ReadonlyArray<string> =>
  [...everyRestFault, ...wsFaults].flatMap(({ foundBy, name }) => (foundBy === auditId ? [name] : []))

const listed = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`), ""]

/** The rule of an audit, without a service. */
export const explainAudit = ({ clause, id, level, title }: Pick<Audit<WsTarget>, "clause" | "id" | "level" | "title">): string =>
  [
    `${id} (${level})`,
    "",
    ...listed("The rule", [title]),
    ...listed("Of", [`${headingOf(id)}: ${clause.replaceAll("/", ", ")}`]),
    ...listed("Why: the clauses that it shows", clausesOf(id)),
    ...listed("It fails on a service with one of these faults, among others", faultsOf(id))
  ].join("\n")

/** What was sent and what had to come, of one run. */
export const explainRun = (entry: ConformEntry): string => {
  const { heard, result } = entry
  if (result.kind === "failed") return failureText(entry).join("\n")
  const sent = listed("What was sent (>) and received (<)", heard)
  if (result.kind === "skipped") return [...listed("Skipped", [result.reason]), ...sent].join("\n")
  const checks = (result.made ?? []).map(({ expected, what }) => `${what}: ${expected ?? "true"}`)
  return [...sent, ...listed("What had to come, and did", checks)].join("\n")
}
