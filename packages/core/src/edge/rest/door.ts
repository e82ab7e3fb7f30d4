/** Refuses requests that may run a program while the service has more of them than it can carry, before anything is started for them. */
import { type Clock, Context, Effect, FiberSet, Layer } from "effect"
import type { Overloaded } from "../../contract/errors.ts"
import { Admission } from "../../services/admission.ts"
import { Intake } from "../../services/intake.ts"
import { AccessLog } from "../../services/logs/accessLog.ts"
import { TurnBreaks } from "../../services/fibers/turnBreaks.ts"
import { Authorization } from "../access/authorization.ts"
import type { ServiceRequest } from "../transport/seam.ts"
import { asksForNoRun } from "./asksForNoRun.ts"
import { idempotencyHeader } from "./idempotencyKey.ts"
import type { MatchedTarget } from "./routes.ts"
import { logPart } from "../../domain/settings/logPart.ts"

const executePath = "/execute"

/** How often refusals are logged, all together, while there are any. */
const logPeriodMs = 1_000

/** Whether a request asks for nothing but a run. One under a key may have been answered before. */
const asksForRun = ({ methods, pattern, query }: MatchedTarget, request: ServiceRequest): boolean =>
  pattern === executePath &&
  request.method !== "HEAD" &&
  methods.has(request.method) &&
  !asksForNoRun(query) &&
  request.header(idempotencyHeader) === undefined

/**
 * Under overload most requests are refused, and what a refusal costs is taken from the runs. So one whose owner is remembered is refused
 * here, by plain functions: without a fiber, a span or a line of the log of its own.
 */
export class Door extends Context.Tag("@sibyl/core/Door")<
  Door,
  {
    /** Why the request is refused at this moment; `undefined` lets it in, to be answered or refused like any other. */
    readonly refusal: (target: MatchedTarget, request: ServiceRequest, clock: Clock.Clock) => Overloaded | undefined
  }
>() {
  /** Over the places of the service. */
  static readonly layer = Layer.scoped(
    Door,
    Effect.gen(function* () {
      const admission = yield* Admission
      const authorization = yield* Authorization
      const intake = yield* Intake
      const { isOn } = yield* AccessLog
      const breaks = yield* TurnBreaks
      const fork = yield* FiberSet.makeRuntime()
      let refused = 0
      const logLater = Effect.suspend(() => {
        const count = refused
        refused = 0
        return Effect.annotateLogs(Effect.logWarning("requests were refused: more than the service can carry"), {
          ...logPart("requests"),
          refused: count
        })
      }).pipe(Effect.delay(logPeriodMs))
      const noted = (refusal: Overloaded): Overloaded => {
        if (isOn && refused === 0) fork(logLater)
        refused += 1
        // One refusal after the other makes a turn without fibers, which would take breaks themselves.
        breaks.take()
        return refusal
      }
      return {
        refusal: (target, request, clock) => {
          try {
            if (!asksForRun(target, request)) return undefined
            const owner = authorization.remembered(request.header("authorization"), clock)
            if (owner === undefined) return undefined
            const { project } = owner
            const { projectId } = project
            const nowMs = Number(clock.unsafeCurrentTimeNanos()) / 1e6
            // Those that wait will take places first: many arrive in one turn of the event loop, before the first of them has its own.
            const refusal = intake.refusal(projectId, nowMs) ?? admission.refusal(project, intake.coming(projectId))
            return refusal === undefined ? undefined : noted(refusal)
          } catch {
            // A method of the adapter's request may throw; whoever needs a header answers that.
            return undefined
          }
        }
      }
    })
  )
}
