/** Audits of usage limits per period: what counts, what is refused, and for how long (D10, D15). */
import { type Audit, audit } from "../audit.ts"
import { type Check, holds, matches, same } from "../check.ts"
import { type Answer, at, execute, freshInputs, send } from "./call.ts"
import { wholeAt } from "./memberAt.ts"
import type { Target } from "./target.ts"
import { decimal, isError, succeeds } from "./wireForms.ts"

const limitsOf = async (target: Target, key: string): Promise<unknown> =>
  at((await send(target, { path: "/project", key })).json, "usageLimits")

const isLimited = (what: string, answer: Answer, limits: unknown): ReadonlyArray<Check> => {
  const seconds = Number(answer.header("retry-after"))
  const period = Number(at(limits, "periodMs")) / 1000
  return [
    ...isError(what, answer, 429, "CreditLimitExceeded"),
    matches(`${what}: details.required`, at(answer.json, "details", "required"), decimal),
    same(`${what}: details.limit`, at(answer.json, "details", "limit"), at(limits, "limit")),
    same(`${what}: details.used`, at(answer.json, "details", "used"), at(limits, "used")),
    holds(`${what}: retry-after within the period`, seconds >= 1 && seconds <= Math.ceil(period), seconds)
  ]
}

const saysWhatIsMissing = audit<Target>(
  "REST-LIMIT-001",
  "MUST",
  "interface.md#errors/D10/D15",
  "429 states what the run needs, the limit and how much of it is used, as /project does, and when the period ends",
  async (target) => {
    if (target.limitedKey === undefined) return { skip: "the target has no key with a usage limit" }
    const answer = await execute(target, "echo", {}, target.limitedKey)
    return isLimited("answer", answer, await limitsOf(target, target.limitedKey))
  }
)

const countsWhatWasUsed = audit<Target>(
  "REST-LIMIT-002",
  "MUST",
  "D10/D15/D27",
  "a run counts towards the limit with its price; if the rest covers no hold, 429; stored results are free",
  async (target) => {
    const key = target.meteredKey
    if (key === undefined) return { skip: "the target has no key whose usage limit covers one run" }
    const before = await limitsOf(target, key)
    const first = await execute(target, "echo", { includeSummary: "true" }, key)
    const price = at(first.json, "data", "summary", "creditsUsed")
    // The period is long: an earlier audit of the same target may have used up the one run.
    const ran =
      at(before, "used") === "0"
        ? [...succeeds("the run that the limit covers", first), same("used by it", at(await limitsOf(target, key), "used"), price)]
        : []
    const after = await limitsOf(target, key)
    const refused = await execute(target, "echo", {}, key)
    const remembered = await execute(target, "echo", { returnLastResult: "true" }, key)
    return [
      ...ran,
      holds("something is used", at(after, "used") !== "0", after),
      ...isLimited("the next run", refused, after),
      ...succeeds("the remembered run", remembered),
      same("used afterwards", at(await limitsOf(target, key), "used"), at(after, "used"))
    ]
  }
)

const quotesTheLimit = audit<Target>(
  "REST-LIMIT-003",
  "MUST",
  "D15",
  "a dry run states what remains of the limit, and that a run would be refused",
  async (target) => {
    const key = target.limitedKey
    if (key === undefined) return { skip: "the target has no key with a usage limit" }
    const limits = await limitsOf(target, key)
    const { json, status } = await execute(target, "echo", { dryRun: "true" }, key)
    const left = wholeAt(limits, "limit") - wholeAt(limits, "used")
    return [
      same("status", status, 200),
      same("remainingInPeriod", at(json, "data", "quote", "remainingInPeriod"), String(left)),
      same("affordable", at(json, "data", "quote", "affordable"), false)
    ]
  }
)

const leavesNoTrace = audit<Target>(
  "REST-LIMIT-004",
  "MUST",
  "D15/D28/D32",
  "what is refused with 403 or 429 has not run: nothing is charged, held, stored or in the history",
  async (target) => {
    const { keyWithoutCredits, limitedKey } = target
    if (keyWithoutCredits === undefined || limitedKey === undefined) return { skip: "needs a key without credits and one with a limit" }
    const execInputs = freshInputs()
    // The drId is of the request, not of a project: a dry run tells it without a run.
    const drId = String(at((await execute(target, "echo", { execInputs, dryRun: "true" })).json, "data", "drId"))
    const tracesOf = async (key: string, status: number, tag: string): Promise<ReadonlyArray<Check>> => {
      const creditsNow = async (): Promise<unknown> => at((await send(target, { path: "/project", key })).json, "credits")
      const before = await creditsNow()
      const refused = await execute(target, "echo", { execInputs }, key)
      const history = await send(target, { path: "/data-request-reports", query: { drId }, key })
      const query = { execProgramId: target.programs.echo, execInputs }
      return [
        ...isError(tag, refused, status, tag),
        same(`${tag}: credits`, await creditsNow(), before),
        same(`${tag}: history`, history.json, { data: [], nextPageId: null }),
        ...isError(`${tag}: stored`, await send(target, { path: "/execute/last-result", query, key }), 404, "LastResultNotFound")
      ]
    }
    return [...(await tracesOf(keyWithoutCredits, 403, "InsufficientCredits")), ...(await tracesOf(limitedKey, 429, "CreditLimitExceeded"))]
  }
)

/** Usage limits per period. */
export const limitAudits: ReadonlyArray<Audit<Target>> = [saysWhatIsMissing, countsWhatWasUsed, quotesTheLimit, leavesNoTrace]
