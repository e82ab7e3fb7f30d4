/** Answers `GET /execute` and `POST /execute`: with a run, a stored result, the first answer under an idempotency key, or a quote. */
import { Clock, Context, Effect, Either, Option } from "effect"
import type { Failure, Overloaded } from "../../contract/errors.ts"
import type { ResolvedPrincipal, ResolvedProject } from "../../domain/accounts/project.ts"
import { writeResponse } from "../../domain/encoding/responseJson.ts"
import { Admission } from "../../services/admission/admission.ts"
import { Execution } from "../../services/execution.ts"
import { Intake } from "../../services/admission/intake.ts"
import { Quotes } from "../../services/quotes.ts"
import { traced } from "../../services/fibers/traced.ts"
import { Retries } from "../../services/retries/retries.ts"
import { Options } from "../../services/settings/serviceOptions.ts"
import { workOnlyOf } from "../../services/fibers/workOwner.ts"
import { asksForNoRun } from "./asksForNoRun.ts"
import type { Call, Reply } from "./call.ts"
import { type ExecuteParameters, isExecuteParameter } from "../execution/executeParameters.ts"
import { type KeyedAnswer, performExecution, type ShownRun, readExecution, recallExecution } from "../execution/executionRequest.ts"
import { requireScope } from "../access/ticketUse.ts"
import { fingerprintOf, readIdempotencyKey } from "./idempotencyKey.ts"
import { bodyParameters, readBodyText } from "./jsonBody.ts"
import { KnownParameters } from "../execution/knownParameters.ts"
import { readQuery } from "../execution/query.ts"
import { quoteView } from "../execution/quoteView.ts"
import { storedResultHeaders, validityOf } from "./validity.ts"

/** The services that an execution over REST needs. */
export type ExecuteServices = Admission | Execution | Intake | KnownParameters | Options | Quotes | Retries

const replyOf = ({ cachedAgeMs, failed, view }: ShownRun): Reply => ({
  status: failed ? 599 : 200,
  body: writeResponse(view),
  headers: cachedAgeMs === undefined ? {} : storedResultHeaders(cachedAgeMs)
})

const delivered = (shown: ShownRun): Effect.Effect<Reply> =>
  traced(
    "deliver",
    Effect.sync(() => replyOf(shown))
  )

const perform = (parameters: ExecuteParameters, project: ResolvedProject, runId: string, keyed?: KeyedAnswer) =>
  Effect.flatMap(performExecution(parameters, project, runId, "rest", keyed), delivered)

/** A stored result may be cached, unless the service runs the program again for each answer. */
const stored = Effect.fnUntraced(function* (
  shown: ShownRun,
  ageMs: number,
  options: ExecuteParameters["options"],
  apiKeyExpiresAtMs: number | null
) {
  const { lastResultRefresh } = yield* Options
  if (lastResultRefresh !== "never") return replyOf(shown)
  const nowMs = Number(yield* Clock.currentTimeNanos) / 1e6
  const facts = { nowMs, ageMs, apiKeyExpiresAtMs, maxAgeSeconds: options.returnLastResultMaxAge }
  return { ...replyOf(shown), ...validityOf(options, facts) }
})

/** Like {@link perform}. */
const performGet = (parameters: ExecuteParameters, { apiKeyExpiresAtMs, project }: ResolvedPrincipal, runId: string) =>
  Effect.flatMap(performExecution(parameters, project, runId, "rest"), (shown) =>
    shown.cachedAgeMs === undefined ? delivered(shown) : stored(shown, shown.cachedAgeMs, parameters.options, apiKeyExpiresAtMs)
  )

/** Runs once for all requests under the key. The run has the id of the first request. */
const performOnce = Effect.fnUntraced(function* (key: string, parameters: ExecuteParameters, project: ResolvedProject, requestId: string) {
  const { projectId } = project
  const { answer, replayed } = yield* (yield* Retries).answerOnce(
    { projectId, key, fingerprint: fingerprintOf(parameters), attemptId: requestId },
    {
      run: (runId) => perform(parameters, project, runId, { key, answerOf: replyOf }),
      recall: (runId) => Effect.map(recallExecution(parameters, project, runId), Option.map(replyOf))
    }
  )
  const reply: Reply = answer
  return replayed ? { ...reply, headers: { ...reply.headers, "idempotency-replayed": "true" } } : reply
})

/** The parameters in the query and, with a `POST`, in the body. */
const parametersIn = (query: string, body: string | undefined, project: ResolvedProject) =>
  Either.gen(function* () {
    const places = yield* readQuery(query, isExecuteParameter)
    return yield* readExecution(body === undefined ? places : [...places, yield* bodyParameters(body)], project)
  })

/** The same, remembered by a text that has only one meaning. */
const readParameters = (call: Call, body: string | undefined, project: ResolvedProject) =>
  Effect.flatMap(KnownParameters, (known) => {
    const text = body === undefined ? `?${call.query}` : `${call.query.length}?${call.query}${body}`
    return known.read(text, project.limits.inputBytes, () => parametersIn(call.query, body, project))
  })

/** A dry run changes nothing, so it ignores an idempotency key. */
const quoted = (parameters: ExecuteParameters, project: ResolvedProject) =>
  Effect.flatMap(Quotes, (quotes) =>
    Effect.map(quotes.quote(project, parameters.key), (quote): Reply => ({ status: 200, body: writeResponse(quoteView(quote)) }))
  )

/** A ticket that only reads may ask for quotes. The programs of others are looked at before an answer that is kept under a key. */
const ifAllowed = <A, R>(
  project: ResolvedProject,
  { key }: ExecuteParameters,
  run: Effect.Effect<A, Failure, R>
): Effect.Effect<A, Failure, R | Execution> =>
  project.ticket === undefined
    ? run
    : Effect.zipRight(
        requireScope(project, "execute"),
        Effect.flatMap(Execution, (execution) => Effect.zipRight(execution.check(project, key), run))
      )

const answeredGet = (call: Call, principal: ResolvedPrincipal): Effect.Effect<Reply, Failure, ExecuteServices> =>
  Effect.flatMap(readParameters(call, undefined, principal.project), (parameters): Effect.Effect<Reply, Failure, ExecuteServices> => {
    const { project } = principal
    if (parameters.options.dryRun === true) return quoted(parameters, project)
    return ifAllowed(project, parameters, performGet(parameters, principal, call.requestId))
  })

/** `POST` also takes parameters in the body, and an idempotency key. */
const answeredPost = Effect.fnUntraced(function* (call: Call, { project }: ResolvedPrincipal, key: string | undefined) {
  const parameters = yield* readParameters(call, yield* readBodyText(call.request, project.limits), project)
  if (parameters.options.dryRun === true) return yield* quoted(parameters, project)
  const run = key === undefined ? perform(parameters, project, call.requestId) : performOnce(key, parameters, project, call.requestId)
  return yield* ifAllowed(project, parameters, run)
})

/** What may run a program waits for the project's turn, and is refused here, at the least cost, if the service has more than it can carry. */
const takenIn = (query: string, project: ResolvedProject, isRemembered: boolean): Effect.Effect<void, Overloaded, Admission | Intake> =>
  isRemembered || asksForNoRun(query)
    ? Effect.void
    : Effect.contextWithEffect((services: Context.Context<Admission | Intake>) => {
        const admission = Context.get(services, Admission)
        return Effect.flatMap(Context.get(services, Intake).enter(project.projectId), () => admission.look(project))
      })

const takenGet = (call: Call, principal: ResolvedPrincipal): Effect.Effect<Reply, Failure, ExecuteServices> =>
  Effect.zipRight(takenIn(call.query, principal.project, false), answeredGet(call, principal))

const takenPost = Effect.fnUntraced(function* (call: Call, principal: ResolvedPrincipal) {
  const { projectId } = principal.project
  const key = yield* readIdempotencyKey(call.request)
  const isRemembered = key !== undefined && (yield* Retries).isKnown({ projectId, key })
  yield* takenIn(call.query, principal.project, isRemembered)
  return yield* answeredPost(call, principal, key)
})

/**
 * Executions are scheduled by project, so that a burst from one project does not delay the others. Requests that run
 * nothing do not yield first: Bun drops pipelined requests behind one that is not answered in the turn of the event loop
 * in which it arrived.
 */
export const executeHandler = (
  call: Call,
  principal: ResolvedPrincipal,
  withBody: boolean
): Effect.Effect<Reply, Failure, ExecuteServices> =>
  workOnlyOf(principal.project.projectId, withBody ? takenPost(call, principal) : takenGet(call, principal))
