/** Runs the chosen audits against a target, within its credits, and tells how each ended. */
import { type Audit, type AuditResult, interrupted } from "../audits/audit.ts"
import { restAudits } from "../audits/every/restAudits.ts"
import { type ReportEntry, runAudits } from "../audits/runAudits.ts"
import { wsAudits } from "../audits/every/wsAudits.ts"
import type { WsTarget } from "../audits/ws/wsTarget.ts"
import { type CreditBudget, openCreditBudget } from "./creditBudget.ts"
import { headingOf } from "./headings.ts"
import { makeHeard } from "./heard.ts"
import { hiddenResult, hiding } from "./hidden.ts"
import type { Waiver } from "./waivers.ts"

/** Every audit of the kit, over REST and over WebSocket. */
export const conformAudits: ReadonlyArray<Audit<WsTarget>> = [...restAudits, ...wsAudits]

/** How one audit ended. */
export interface ConformEntry extends ReportEntry {
  readonly heading: string
  readonly elapsedMs: number
  /** What the key's project spent while it ran, since the audit before it ended. */
  readonly creditsSpent: bigint
  /** What was sent and received. */
  readonly heard: ReadonlyArray<string>
  /** The waiver of a failed audit. */
  readonly waiver?: Waiver | undefined
}

/** The verdict. A target conforms if at least one audit was tried, and no MUST failed that is not waived. */
export interface ConformReport {
  readonly baseUrl: string
  readonly conforms: boolean
  /** By the key's project, preparation included; `undefined` if the service did not show its balance any more. */
  readonly creditsSpent: bigint | undefined
  readonly elapsedMs: number
  readonly entries: ReadonlyArray<ConformEntry>
  /** Waivers of audits that passed or were not made. */
  readonly needlessWaivers: ReadonlyArray<Waiver>
}

/** What to run. */
export interface ConformPlan {
  readonly audits: ReadonlyArray<Audit<WsTarget>>
  readonly maxCredits: bigint
  /** What the key's project had before the kit spent anything. */
  readonly remainingCredits: bigint
  /** Those in force. */
  readonly waivers: ReadonlyArray<Waiver>
  /** Called at the end of each audit. */
  readonly onEntry: (entry: ConformEntry) => void
}

interface Paid {
  readonly result: AuditResult
  readonly creditsSpent: bigint
}

const tooDear = (maxCredits: bigint): AuditResult => ({
  kind: "skipped",
  reason: `it could spend more than --max-credits ${maxCredits} leaves`
})

/** A service that leaves requests of so many audits unanswered is asked no more: with 90 s for each, a run would take hours. */
const mostUnanswered = 5

const notMade: AuditResult = {
  kind: "failed",
  failures: [
    {
      what: "the service answers, so that the audit can be made",
      ok: false,
      actual: `${mostUnanswered} audits had no answer in time: not made`
    }
  ]
}

const unpaid = (result: AuditResult): Paid => ({ result, creditsSpent: 0n })

const withinBudget = async (budget: CreditBudget, maxCredits: bigint, run: () => Promise<AuditResult>): Promise<Paid> => {
  try {
    if (!(await budget.begin())) return unpaid(tooDear(maxCredits))
    const result = await run()
    return { result, creditsSpent: await budget.done() }
  } catch (cause) {
    // No credits can be read any more: the audit, or the service, has failed.
    return unpaid(interrupted("GET /verify before and after the audit shows the remaining credits", cause))
  }
}

/** The audit of the shutdown: after it, no balance can be read. */
const endsTheService = ({ id }: { readonly id: string }): boolean => id.startsWith("WS-END-")

const keysOf = (target: WsTarget): Set<string> =>
  new Set(
    [
      target.apiKey,
      target.otherTenantKey,
      target.keyWithoutCredits,
      target.limitedKey,
      target.meteredKey,
      target.restrictedKey,
      target.revokedKey
    ].filter((key) => key !== undefined)
  )

/** The target, with an operator whose keys are noted. */
const notingKeys = ({ operator, ...target }: WsTarget, keys: Set<string>): WsTarget => {
  if (operator === undefined) return target
  const freshKey = async (validForMs?: number): Promise<string> => {
    const key = await operator.freshKey(validForMs)
    keys.add(key)
    return key
  }
  return { ...target, operator: { ...operator, freshKey } }
}

/** Runs them. Never rejects: whatever a target does is in the report. */
export const runConform = async (given: WsTarget, plan: ConformPlan): Promise<ConformReport> => {
  const keys = keysOf(given)
  const target = notingKeys(given, keys)
  const hide = hiding(keys)
  const beganMs = performance.now()
  const budget = openCreditBudget(target, plan.remainingCredits, plan.maxCredits)
  const entries: Array<ConformEntry> = []
  let unanswered = 0
  const told = ({ run, ...audit }: Audit<WsTarget>): Audit<WsTarget> => ({
    ...audit,
    run: async () => {
      const heard = makeHeard(hide)
      const startMs = performance.now()
      const attempt = (): Promise<AuditResult> => run({ ...target, trace: heard.trace })
      const tried = async (): Promise<Paid> => {
        if (unanswered >= mostUnanswered) return unpaid(notMade)
        return endsTheService(audit) ? unpaid(await attempt()) : withinBudget(budget, plan.maxCredits, attempt)
      }
      const { creditsSpent, result: made } = await tried()
      if (made.kind === "failed" && made.unanswered === true) unanswered += 1
      const result = hiddenResult(made, hide)
      const waiver = result.kind === "failed" ? plan.waivers.find(({ id }) => id === audit.id) : undefined
      const { clause, id, level, title } = audit
      const elapsedMs = performance.now() - startMs
      const entry = { id, level, clause, title, heading: headingOf(id), result, elapsedMs, creditsSpent, heard: heard.lines, waiver }
      entries.push(entry)
      plan.onEntry(entry)
      return result
    }
  })
  const isLast = (audit: Audit<WsTarget>): boolean => endsTheService(audit) && target.operator?.drain !== undefined
  await runAudits(target, plan.audits.filter((audit) => !isLast(audit)).map(told))
  const creditsSpent = await budget.spent().catch(() => undefined)
  await runAudits(target, plan.audits.filter(isLast).map(told))
  const placeOf = new Map(plan.audits.map(({ id }, place) => [id, place]))
  return {
    baseUrl: target.baseUrl,
    conforms:
      entries.some(({ result }) => result.kind !== "skipped") &&
      entries.every(({ level, result, waiver }) => level !== "MUST" || result.kind !== "failed" || waiver !== undefined),
    creditsSpent,
    elapsedMs: performance.now() - beganMs,
    entries: entries.toSorted((a, b) => (placeOf.get(a.id) ?? 0) - (placeOf.get(b.id) ?? 0)),
    needlessWaivers: plan.waivers.filter((waiver) => !entries.some((entry) => entry.waiver === waiver))
  }
}
