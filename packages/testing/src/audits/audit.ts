/** An audit: one rule of a contract as data, with a permanent id, and a check of whether a target satisfies it. */
import type { Check } from "./check.ts"
import { Lacking } from "./lacking.ts"
import { Unanswered } from "./unanswered.ts"

/** How binding a rule is, as in RFC 2119. */
export type Level = "MUST" | "SHOULD" | "MAY"

/** The result of an audit: its checks, the failed ones, with whether a request had no answer in time, or what the target lacks. */
export type AuditResult =
  | { readonly kind: "passed"; readonly checks: number; readonly made?: ReadonlyArray<Check> }
  | { readonly kind: "failed"; readonly failures: ReadonlyArray<Check>; readonly unanswered?: true }
  | { readonly kind: "skipped"; readonly reason: string }

/** One rule, runnable against any target of its kind. `run` never rejects. */
export interface Audit<Target> {
  /** Permanent: an id is never reused for another rule. */
  readonly id: string
  readonly level: Level
  /** The source of the rule: a section of the interface, a decision, or both. */
  readonly clause: string
  readonly title: string
  /** Whether it may run concurrently with others; by default it runs alone. */
  readonly isBeside?: true
  readonly run: (target: Target) => Promise<AuditResult>
}

/** What an audit's body returns: its checks, or why it could not be run. */
export type Findings = ReadonlyArray<Check> | { readonly skip: string }

const noCheck: Check = { what: "the audit made a check", ok: false, expected: "a check", actual: "none" }

/** An audit without a check has shown nothing, so it fails. */
const resultOf = (findings: Findings): AuditResult => {
  if ("skip" in findings) return { kind: "skipped", reason: findings.skip }
  if (findings.length === 0) return { kind: "failed", failures: [noCheck] }
  const failures = findings.filter((check) => !check.ok)
  return failures.length === 0 ? { kind: "passed", checks: findings.length, made: findings } : { kind: "failed", failures }
}

/** What was thrown, with its own causes: that a request failed says little without why. */
export const toldOf = (thrown: unknown): string =>
  thrown instanceof Error && thrown.cause !== undefined ? `${String(thrown)}, because of ${toldOf(thrown.cause)}` : String(thrown)

/** What was to happen, and did not because of this. */
export const interrupted = (what: string, cause: unknown): AuditResult => ({
  kind: "failed",
  failures: [{ what, ok: false, actual: toldOf(cause) }],
  ...(cause instanceof Unanswered ? { unanswered: true } : {})
})

/** A body that throws (for example because of a lost connection) is a failed audit, not a failed kit. */
const interruptedBy = (cause: unknown): AuditResult =>
  cause instanceof Lacking ? { kind: "skipped", reason: cause.message } : interrupted("the audit ran to its end", cause)

/** Makes an audit from its body. */
export const audit = <Target>(
  id: string,
  level: Level,
  clause: string,
  title: string,
  body: (target: Target) => Promise<Findings>
): Audit<Target> => ({
  id,
  level,
  clause,
  title,
  run: (target) => body(target).then(resultOf, interruptedBy)
})

/** Lets an audit run concurrently with others: one that only waits, and shares nothing that another one counts. */
export const beside = <Target>(waiting: Audit<Target>): Audit<Target> => ({ ...waiting, isBeside: true })
