/** The reports for machines: JSON, and JUnit's XML as continuous integration reads it. */
import { headings } from "./headings.ts"
import type { ConformEntry, ConformReport } from "./runConform.ts"

const resultOf = ({ result, waiver }: ConformEntry): Readonly<Record<string, unknown>> => {
  switch (result.kind) {
    case "passed":
      return { result: "passed", checks: result.checks }
    case "skipped":
      return { result: "skipped", reason: result.reason }
    case "failed":
      return { result: waiver === undefined ? "failed" : "waived", failures: result.failures, ...(waiver === undefined ? {} : { waiver }) }
  }
}

/** The report as JSON: amounts as decimal strings, times in whole milliseconds; `heard` only of audits that failed. */
export const jsonReport = (report: ConformReport): string =>
  `${JSON.stringify(
    {
      version: 1,
      baseUrl: report.baseUrl,
      conforms: report.conforms,
      creditsSpent: report.creditsSpent === undefined ? null : String(report.creditsSpent),
      elapsedMs: Math.round(report.elapsedMs),
      needlessWaivers: report.needlessWaivers,
      audits: report.entries.map((entry) => ({
        id: entry.id,
        level: entry.level,
        heading: entry.heading,
        clause: entry.clause,
        title: entry.title,
        elapsedMs: Math.round(entry.elapsedMs),
        creditsSpent: String(entry.creditsSpent),
        ...resultOf(entry),
        ...(entry.result.kind === "failed" ? { heard: entry.heard } : {})
      }))
    },
    null,
    2
  )}\n`

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" }

/** Escaped, without the characters that XML 1.0 cannot have at all. */
const xml = (text: string): string =>
  text
    // oxlint-disable-next-line no-control-regex
    .replaceAll(
      /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
      "\ufffd"
    )
    .replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)

const caseText = (entry: ConformEntry): string => {
  const { elapsedMs, heading, id, result, title, waiver } = entry
  const head = `    <testcase classname="${xml(heading)}" name="${xml(`${id} ${title}`)}" time="${(elapsedMs / 1_000).toFixed(3)}"`
  if (result.kind === "passed") return `${head}/>`
  if (result.kind === "skipped") return `${head}>\n      <skipped message="${xml(result.reason)}"/>\n    </testcase>`
  if (waiver !== undefined)
    return `${head}>\n      <skipped message="${xml(`waived until ${waiver.until}: ${waiver.reason}`)}"/>\n    </testcase>`
  const checks = result.failures.map(({ actual, expected, what }) => `${what}\n  expected: ${expected ?? "-"}\n  found: ${actual ?? "-"}`)
  const message = result.failures.map(({ what }) => what).join("; ")
  // Only a MUST decides, so that the job is red exactly if the command is.
  const element = entry.level === "MUST" ? "failure" : "system-out"
  const attribute = element === "failure" ? ` message="${xml(message)}"` : ""
  return `${head}>\n      <${element}${attribute}>${xml([...checks, "", ...entry.heard].join("\n"))}</${element}>\n    </testcase>`
}

const isFailure = ({ level, result, waiver }: ConformEntry): boolean => level === "MUST" && result.kind === "failed" && waiver === undefined

const isSkipped = ({ result, waiver }: ConformEntry): boolean => result.kind === "skipped" || waiver !== undefined

const countsOf = (entries: ReadonlyArray<ConformEntry>): string =>
  `tests="${entries.length}" failures="${entries.filter(isFailure).length}" errors="0" skipped="${entries.filter(isSkipped).length}"`

const suiteText = (heading: string, entries: ReadonlyArray<ConformEntry>): string =>
  [`  <testsuite name="${xml(heading)}" ${countsOf(entries)}>`, ...entries.map(caseText), "  </testsuite>"].join("\n")

/** The report as JUnit's XML: one suite for each heading; a waived audit is a skipped one. */
export const junitReport = ({ elapsedMs, entries }: ConformReport): string => {
  const suites = [...headings, "Other"].flatMap((heading) => {
    const own = entries.filter((entry) => entry.heading === heading)
    return own.length === 0 ? [] : [suiteText(heading, own)]
  })
  const time = (elapsedMs / 1_000).toFixed(3)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="conformance" ${countsOf(entries)} time="${time}">`,
    ...suites,
    "</testsuites>",
    ""
  ].join("\n")
}
