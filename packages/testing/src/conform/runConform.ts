/** Runs the chosen audits against a target, within its credits, and tells how each ended. */
import type { Audit, AuditResult } from "../audits/audit.ts"
import { restAudits } from "../audits/rest/restAudits.ts"
import { type ReportEntry, runAudits } from "../audits/runAudits.ts"
import { wsAudits } from "../audits/ws/wsAudits.ts"
import type { WsTarget } from "../audits/ws/wsTarget.ts"
import { type CreditBudget, openCreditBudget } from "./creditBudget.ts"
import { headingOf } from "./headings.ts"
import { makeHeard } from "./heard.ts"
import type { Waiver } from "./waivers.ts"

/** Every audit of the kit, over REST and over WebSocket. */
export const conformAudits: ReadonlyArray<Audit<WsTarget>> = [...restAudits, ...wsAudits]

/** How one audit ended. */
export interface ConformEntry extends ReportEntry {
  readonly heading: string
  readonly elapsedMs: number
  /** What was sent and received. */
  readonly heard: ReadonlyArray<string>
  /** The waiver of a failed audit. */
  readonly waiver?: Waiver | undefined
}

/** The verdict. A target conforms if no MUST failed that is not waived. */
export interface ConformReport {
  readonly baseUrl: string
  readonly conforms: boolean
  readonly creditsSpent: bigint
  readonly elapsedMs: number
  readonly entries: ReadonlyArray<ConformEntry>
  /** Waivers of audits that passed or were not made. */
  readonly needlessWaivers: ReadonlyArray<Waiver>
}

/** What to run. */
export interface ConformPlan {
  readonly audits: ReadonlyArray<Audit<WsTarget>>
  readonly maxCredits: bigint
  /** Those in force. */
  readonly waivers: ReadonlyArray<Waiver>
  /** Called at the end of each audit. */
  readonly onEntry: (entry: ConformEntry) => void
}

const tooDear = (maxCredits: bigint): AuditResult => ({
  kind: "skipped",
  reason: `it could spend more than --max-credits ${maxCredits} leaves`
})

const withinBudget = async (budget: CreditBudget, maxCredits: bigint, run: () => Promise<AuditResult>): Promise<AuditResult> => {
  if (!(await budget.begin())) return tooDear(maxCredits)
  try {
    return await run()
  } finally {
    await budget.done()
  }
}

/** No credits can be read any more: the audit, or the service, has failed. */
const interrupted = (cause: unknown): AuditResult => ({
  kind: "failed",
  failures: [{ what: "GET /verify before or after the audit shows the remaining credits", ok: false, actual: String(cause) }]
})

const keysOf = (target: WsTarget): ReadonlyArray<string> =>
  [
    target.apiKey,
    target.otherTenantKey,
    target.keyWithoutCredits,
    target.limitedKey,
    target.meteredKey,
    target.restrictedKey,
    target.revokedKey
  ].filter((key) => key !== undefined)

/** Runs them. Never rejects once the balance was read: whatever a target does is in the report. */
export const runConform = async (target: WsTarget, plan: ConformPlan): Promise<ConformReport> => {
  const beganMs = performance.now()
  const budget = await openCreditBudget(target, plan.maxCredits)
  const entries: Array<ConformEntry> = []
  const told = ({ run, ...audit }: Audit<WsTarget>): Audit<WsTarget> => ({
    ...audit,
    run: async () => {
      const heard = makeHeard(keysOf(target))
      const startMs = performance.now()
      const attempt = (): Promise<AuditResult> => run({ ...target, trace: heard.trace })
      // The service has ended when the last audit has.
      const spends = audit.id.startsWith("WS-END-") ? attempt() : withinBudget(budget, plan.maxCredits, attempt)
      const result = await spends.catch(interrupted)
      const waiver = result.kind === "failed" ? plan.waivers.find(({ id }) => id === audit.id) : undefined
      const { clause, id, level, title } = audit
      const elapsedMs = performance.now() - startMs
      const entry = { id, level, clause, title, heading: headingOf(id), result, elapsedMs, heard: heard.lines, waiver }
      entries.push(entry)
      plan.onEntry(entry)
      return result
    }
  })
  const ends = plan.audits.some(({ id }) => id.startsWith("WS-END-")) && target.operator?.drain !== undefined
  let creditsSpent = 0n
  const audits = plan.audits.map(told)
  await runAudits(target, ends ? audits.slice(0, -1) : audits)
  creditsSpent = await budget.spent().catch(() => 0n)
  if (ends) await runAudits(target, audits.slice(-1))
  return {
    baseUrl: target.baseUrl,
    conforms: entries.every(({ level, result, waiver }) => level !== "MUST" || result.kind !== "failed" || waiver !== undefined),
    creditsSpent,
    elapsedMs: performance.now() - beganMs,
    entries: entries.toSorted((a, b) => plan.audits.findIndex(({ id }) => id === a.id) - plan.audits.findIndex(({ id }) => id === b.id)),
    needlessWaivers: plan.waivers.filter((waiver) => !entries.some((entry) => entry.waiver === waiver))
  }
}
