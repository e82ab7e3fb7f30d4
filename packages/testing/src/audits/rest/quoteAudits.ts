/** Audits of dryRun: everything is checked, nothing runs, and the response states what a run would cost (D4, D31). */
import { type Audit, audit } from "../audit.ts"
import { type Check, holds, keysAre, matches, same } from "../check.ts"
import { type Answer, at, drIdOf, execute, executePost, freshInputs, send } from "./call.ts"
import { partsOf, wholeAt } from "./memberAt.ts"
import type { Target } from "./target.ts"
import { decimal, id64, isError, refusesParameter, succeeds } from "./wireForms.ts"

const quoteOf = (answer: Answer, ...names: ReadonlyArray<string>): unknown => at(answer.json, "data", "quote", ...names)

const isQuote = (what: string, answer: Answer): ReadonlyArray<Check> => [
  same(`${what}: status`, answer.status, 200),
  same(`${what}: _tag`, at(answer.json, "_tag"), "QuoteResponse"),
  keysAre(`${what}: members of data`, at(answer.json, "data"), ["drId", "quote"])
]

const remaining = async (target: Target, key?: string): Promise<unknown> =>
  at((await send(target, { path: "/verify", ...(key === undefined ? {} : { key }) })).json, "remainingCreditsSnapshot")

const shape = audit<Target>(
  "REST-QUOTE-001",
  "MUST",
  "D31/D32",
  "dryRun returns the drId and a quote: the worst case and its parts, typical, the remaining credits, whether it is affordable",
  async (target) => {
    const answer = await execute(target, "echo", { dryRun: "true", execInputs: "quoted" })
    const run = await execute(target, "echo", { execInputs: "quoted" })
    const cost = (name: string): unknown => quoteOf(answer, "cost", name)
    const members = ["worstCase", "typical", "cost", "gasPerWorkerMs", "remaining", "remainingInPeriod", "affordable"]
    return [
      ...isQuote("quote", answer),
      keysAre("members of the quote", quoteOf(answer), members),
      keysAre("members of cost", quoteOf(answer, "cost"), ["base", "gas", "dataProxies", "total"]),
      ...["base", "gas", "dataProxies", "total"].map((name) => matches(`cost.${name}`, cost(name), decimal)),
      same("total of the parts", partsOf(quoteOf(answer, "cost")), cost("total")),
      same("worstCase", quoteOf(answer, "worstCase"), cost("total")),
      matches("gasPerWorkerMs", quoteOf(answer, "gasPerWorkerMs"), decimal),
      matches("remaining", quoteOf(answer, "remaining"), decimal),
      same("remainingInPeriod without a limit", quoteOf(answer, "remainingInPeriod"), null),
      same("affordable", quoteOf(answer, "affordable"), true),
      matches("drId", at(answer.json, "data", "drId"), id64),
      same("drId as of the run", at(answer.json, "data", "drId"), drIdOf(run))
    ]
  }
)

const runsNothing = audit<Target>(
  "REST-QUOTE-002",
  "MUST",
  "D31/D32",
  "a dry run charges nothing and stores nothing, by GET and by POST",
  async (target) => {
    const execInputs = freshInputs()
    const before = await remaining(target)
    const got = await execute(target, "echo", { execInputs, dryRun: "1" })
    const posted = await executePost(target, "echo", { execInputs, dryRun: true })
    const after = await remaining(target)
    const run = await execute(target, "echo", { execInputs, returnLastResult: "true" })
    return [
      ...isQuote("GET", got),
      ...isQuote("POST", posted),
      same("remaining credits", after, before),
      ...succeeds("the first run", run),
      same("the first run: x-sibyl-cache", run.header("x-sibyl-cache"), null)
    ]
  }
)

const showsTheLastPrice = audit<Target>(
  "REST-QUOTE-003",
  "MUST",
  "D28/D31",
  "typical is the cost of the last run of this request, failed or not, and null before its first run",
  async (target) => {
    const checks: Array<Check> = []
    for (const program of ["echo", "failing"] as const) {
      const execInputs = freshInputs()
      const before = await execute(target, program, { execInputs, dryRun: "true" })
      const run = await execute(target, program, { execInputs, includeSummary: "true" })
      const after = await execute(target, program, { execInputs, dryRun: "true" })
      const charged = at(run.json, "data", "summary", "creditsUsed")
      checks.push(
        same(`${program}: before`, quoteOf(before, "typical"), null),
        matches(`${program}: charged`, charged, decimal),
        same(`${program}: after`, quoteOf(after, "typical"), charged)
      )
    }
    return checks
  }
)

const quotesTheHold = audit<Target>(
  "REST-QUOTE-004",
  "MUST",
  "D15/D32",
  "worstCase is what a run needs to be accepted, and remaining what the project has",
  async (target) => {
    if (target.keyWithoutCredits === undefined) return { skip: "the target has no key without credits" }
    const quote = await execute(target, "echo", { dryRun: "true" }, target.keyWithoutCredits)
    const refused = await execute(target, "echo", {}, target.keyWithoutCredits)
    const mine = await execute(target, "echo", { dryRun: "true" })
    return [
      ...isQuote("quote without credits", quote),
      ...isError("their run", refused, 403, "InsufficientCredits"),
      same("worstCase", quoteOf(quote, "worstCase"), at(refused.json, "details", "required")),
      same("remaining without credits", quoteOf(quote, "remaining"), at(refused.json, "details", "remaining")),
      same("affordable without credits", quoteOf(quote, "affordable"), false),
      same("remaining", quoteOf(mine, "remaining"), await remaining(target))
    ]
  }
)

const refusesWhatARunWould = audit<Target>(
  "REST-QUOTE-005",
  "MUST",
  "D4/D15",
  "a dry run is refused like a run: invalid parameters, invalid flags, unknown and disallowed programs, no key",
  async (target) => {
    const dry = { dryRun: "true" }
    const unknown = await execute(target, "echo", { ...dry, tallyProgramId: "ab".repeat(32) })
    const stranger = await send(target, { path: `/execute?execProgramId=${target.programs.echo}&dryRun`, key: null })
    const disallowed =
      target.restrictedKey === undefined
        ? []
        : isError("disallowed", await execute(target, "printing", dry, target.restrictedKey), 400, "ProgramNotAllowed")
    return [
      ...refusesParameter("dryRun=yes", await execute(target, "echo", { dryRun: "yes" }), "dryRun"),
      ...refusesParameter("dryRun: {}", await executePost(target, "echo", { dryRun: {} }), "dryRun"),
      ...refusesParameter("inputs", await execute(target, "echo", { ...dry, execInputs: "0xabc" }), "execInputs"),
      ...isError("unknown program", unknown, 404, "ProgramNotFound"),
      ...isError("no key", stranger, 401, "Unauthorized"),
      ...disallowed
    ]
  }
)

/** The credits of the target's project at one moment. */
interface CreditsThen {
  readonly remaining: bigint
  readonly used: bigint
  readonly held: bigint
}

const lookAtCredits = async (target: Target): Promise<CreditsThen> => {
  const { json } = await send(target, { path: "/project" })
  const of = (name: string): bigint => wholeAt(json, "credits", name)
  return { remaining: of("remaining"), used: of("used"), held: of("held") }
}

/** A service in this process gets no turn to run anything while looks are answered one after the other. */
const betweenLooksMs = 2

/** What is seen before a run, and until a look shows its hold or it has ended. */
const lookAtRun = async (
  target: Target,
  worst: bigint
): Promise<{ readonly looks: ReadonlyArray<CreditsThen>; readonly isHeld: boolean }> => {
  const before = await lookAtCredits(target)
  const looks = [before]
  const watch = { isHeld: false, isOver: false }
  const run = execute(target, "looping", { execInputs: freshInputs() }).finally(() => (watch.isOver = true))
  // What fails it is told where it is awaited.
  run.catch(() => undefined)
  while (!watch.isOver && !watch.isHeld) {
    const seen = await lookAtCredits(target)
    looks.push(seen)
    watch.isHeld = seen.held - before.held >= worst
    await new Promise((resolve) => setTimeout(resolve, betweenLooksMs))
  }
  await run
  return { looks, isHeld: watch.isHeld }
}

/** A service may run the program between two looks; not in all of these. */
const watchedRuns = 20

const showsTheHold = audit<Target>(
  "REST-QUOTE-006",
  "MUST",
  "D10/D32/D33",
  "while a run is under way its worst case is held, and remaining, used and held are the same sum before, during and after it",
  async (target) => {
    const quote = await execute(target, "looping", { dryRun: "true" })
    const worst = wholeAt(quote.json, "data", "quote", "worstCase")
    const looks: Array<CreditsThen> = []
    let isHeld = false
    for (let runs = 0; runs < watchedRuns && !isHeld; runs += 1) {
      const seen = await lookAtRun(target, worst)
      looks.push(...seen.looks)
      isHeld = seen.isHeld
    }
    looks.push(await lookAtCredits(target))
    const distinct = (of: (look: CreditsThen) => bigint): ReadonlyArray<string> => [...new Set(looks.map((look) => String(of(look))))]
    const sums = distinct(({ held, remaining, used }) => remaining + used + held)
    return [
      holds(
        `a look while it runs shows ${worst} more held`,
        isHeld,
        distinct(({ held }) => held)
      ),
      holds("remaining, used and held are one sum", sums.length === 1, sums)
    ]
  }
)

/** What a run would cost. */
export const quoteAudits: ReadonlyArray<Audit<Target>> = [
  shape,
  runsNothing,
  showsTheLastPrice,
  quotesTheHold,
  refusesWhatARunWould,
  showsTheHold
]
