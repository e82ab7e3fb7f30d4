/** Refuses requests that may run a program while the service has more of them than it can carry, before anything is started for them. */
import { type Clock, Context, Effect, FiberSet, Layer } from "effect"
import type { Overloaded } from "../../contract/errors.ts"
import { metricList } from "../../ports/metrics/metricList.ts"
import { Metrics } from "../../ports/metrics/metrics.ts"
import { Admission, isOverProjectLimit } from "../../services/admission/admission.ts"
import { Intake } from "../../services/admission/intake.ts"
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

/** The projects that a line names. */
const mostNamed = 5

/** Refusals of one kind since the last line. */
interface Refused {
  count: number
  /** Of those that a project's own bound refused: the service may have room for others. */
  readonly projectIds: Set<string>
}

const lineOf = ([why, { count, projectIds }]: readonly [why: string, Refused]): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logWarning(`requests were refused: ${why}`), {
    ...logPart("requests"),
    refused: count,
    ...(projectIds.size === 0 ? {} : { project_ids: [...projectIds].join(", ") })
  })

/** Refusals since the last line, by what their clients are told: an operator cures each otherwise. */
class Refusals {
  #byReason = new Map<string, Refused>()

  get isNone(): boolean {
    return this.#byReason.size === 0
  }

  add(refusal: Overloaded, projectId: string): void {
    const [why = ""] = refusal.message.split("; ", 1)
    const refused = this.#byReason.get(why) ?? { count: 0, projectIds: new Set() }
    this.#byReason.set(why, refused)
    refused.count += 1
    if (isOverProjectLimit(refusal) && refused.projectIds.size < mostNamed) refused.projectIds.add(projectId)
  }

  /** Their lines. */
  readonly logged: Effect.Effect<void> = Effect.suspend(() => {
    const lines = [...this.#byReason].map(lineOf)
    this.#byReason = new Map()
    return Effect.all(lines, { discard: true })
  })
}

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
      const { add } = yield* Metrics
      const refusals = new Refusals()
      // While a service drains it refuses, too, and is over before the next line is due.
      yield* Effect.addFinalizer(() => (isOn ? refusals.logged : Effect.void))
      const noted = (refusal: Overloaded, projectId: string): Overloaded => {
        if (isOn && refusals.isNone) fork(Effect.delay(refusals.logged, logPeriodMs))
        refusals.add(refusal, projectId)
        add(metricList.runs, 1, refusal._tag, "none")
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
            return refusal === undefined ? undefined : noted(refusal, projectId)
          } catch {
            // A method of the adapter's request may throw; whoever needs a header answers that.
            return undefined
          }
        }
      }
    })
  )
}
