/** Answers `GET /execute` and `POST /execute`: with a run, a stored result, the first answer under an idempotency key, or a quote. */
import { Clock, Effect, Option } from "effect"
import type { Failure } from "../../contract/errors.ts"
import type { ResolvedPrincipal, ResolvedProject } from "../../domain/accounts/project.ts"
import { writeResponse } from "../../domain/encoding/responseJson.ts"
import { Execution } from "../../services/execution.ts"
import { Quotes } from "../../services/quotes.ts"
import { Retries } from "../../services/retries.ts"
import { Options } from "../../services/serviceOptions.ts"
import { workOnlyOf } from "../../services/workOwner.ts"
import type { Call, Reply } from "./call.ts"
import { type ExecuteParameters, isExecuteParameter } from "../execution/executeParameters.ts"
import { performExecution, type ShownRun, readExecution, recallExecution } from "../execution/executionRequest.ts"
import { fingerprintOf, readIdempotencyKey } from "./idempotencyKey.ts"
import { readJsonBody } from "./jsonBody.ts"
import { readQuery } from "../execution/query.ts"
import { quoteView } from "../execution/quoteView.ts"
import { storedResultHeaders, validityOf } from "./validity.ts"

/** The services that an execution over REST needs. */
export type ExecuteServices = Execution | Options | Quotes | Retries

const replyOf = ({ cachedAgeMs, failed, view }: ShownRun): Reply => ({
  status: failed ? 599 : 200,
  body: writeResponse(view),
  headers: cachedAgeMs === undefined ? {} : storedResultHeaders(cachedAgeMs)
})

const perform = (parameters: ExecuteParameters, project: ResolvedProject, runId: string) =>
  Effect.map(performExecution(parameters, project, runId, "rest"), replyOf)

/** Like {@link perform}. A stored result may be cached, unless the service runs the program again for each answer. */
const performGet = (parameters: ExecuteParameters, { apiKeyExpiresAtMs, project }: ResolvedPrincipal, runId: string) =>
  Effect.gen(function* () {
    const performed = yield* performExecution(parameters, project, runId, "rest")
    const { lastResultRefresh } = yield* Options
    const { cachedAgeMs } = performed
    const { returnLastResultMaxAge: maxAgeSeconds } = parameters.options
    if (cachedAgeMs === undefined || lastResultRefresh !== "never") return replyOf(performed)
    const nowMs = Number(yield* Clock.currentTimeNanos) / 1e6
    const facts = { nowMs, ageMs: cachedAgeMs, apiKeyExpiresAtMs, maxAgeSeconds }
    return { ...replyOf(performed), ...validityOf(parameters.options, facts) }
  })

/** Runs once for all requests under the key. The run has the id of the first request. */
const performOnce = (key: string, parameters: ExecuteParameters, project: ResolvedProject, requestId: string) =>
  Effect.gen(function* () {
    const { projectId } = project
    const { answer, replayed } = yield* (yield* Retries).answerOnce(
      { projectId, key, fingerprint: fingerprintOf(parameters), attemptId: requestId },
      {
        run: (runId) => perform(parameters, project, runId),
        recall: (runId) => Effect.map(recallExecution(parameters, project, runId), Option.map(replyOf))
      }
    )
    const reply: Reply = answer
    return replayed ? { ...reply, headers: { ...reply.headers, "idempotency-replayed": "true" } } : reply
  })

/** `POST` also takes parameters in the body, and an idempotency key. A dry run changes nothing, so it ignores the key. */
const answered = (call: Call, principal: ResolvedPrincipal, withBody: boolean): Effect.Effect<Reply, Failure, ExecuteServices> =>
  Effect.gen(function* () {
    const { project } = principal
    const key = withBody ? yield* readIdempotencyKey(call.request) : undefined
    const query = yield* readQuery(call.query, isExecuteParameter)
    const places = withBody ? [...query, yield* readJsonBody(call.request, project.limits)] : query
    const parameters = yield* readExecution(places, project)
    if (parameters.options.dryRun === true) {
      const quote = yield* (yield* Quotes).quote(project, parameters.key)
      return { status: 200, body: writeResponse(quoteView(quote)) }
    }
    if (!withBody) return yield* performGet(parameters, principal, call.requestId)
    return yield* key === undefined ? perform(parameters, project, call.requestId) : performOnce(key, parameters, project, call.requestId)
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
  workOnlyOf(principal.project.projectId, Effect.zipRight(Effect.yieldNow(), answered(call, principal, withBody)))
