/** Limits the runs in flight; a run beyond the limit is refused at once instead of waiting. */
import { Context, Effect, Layer } from "effect"
import { type Failure, Overloaded } from "../../contract/errors.ts"
import type { ResolvedProject } from "../../domain/accounts/project.ts"
import { whileTaken } from "../fibers/plainEnds.ts"
import { mayStartRun, type RunsInFlight } from "../../domain/runs/runPlaces.ts"
import { metricList } from "../../ports/metrics/metricList.ts"
import { Metrics } from "../../ports/metrics/metrics.ts"
import { SharedLimits } from "../settings/sharedLimits.ts"
import { Options } from "../settings/serviceOptions.ts"

const retryAfterSeconds = 1

const noneComing: RunsInFlight = { own: 0, all: 0 }

/** Of each bound, more than the runs that a project may have by default; what is beyond is made anew. */
const mostKnownErrors = 512

/** Which bound keeps a run out: its project's own, or that of the service, of which a project gets as much as is left. */
type Bound = "runsPerProject" | "maxRunsInFlight"

const messages: Readonly<Record<Bound, string>> = {
  runsPerProject: "this project has as many runs in flight as it may have; try again",
  maxRunsInFlight: "the service has too many runs in flight for another one of this project; try again"
}

/** `runsInFlight` is the project's count in the process that answers. */
const newTooManyRuns = (runsInFlight: number, limit: Bound): Overloaded =>
  new Overloaded({ message: messages[limit], retryAfterSeconds, details: { runsInFlight, limit } })

/** One for many: under overload they are equal, and making an error costs as much as the rest of a refusal. */
const makeTooManyRuns = (): typeof newTooManyRuns => {
  const known = { runsPerProject: new Map<number, Overloaded>(), maxRunsInFlight: new Map<number, Overloaded>() }
  return (runsInFlight, limit) => {
    const same = known[limit].get(runsInFlight)
    if (same !== undefined) return same
    const error = newTooManyRuns(runsInFlight, limit)
    if (known[limit].size < mostKnownErrors) known[limit].set(runsInFlight, error)
    return error
  }
}

/** The runs of this process. */
class RunsHere {
  readonly #ofProject = new Map<string, number>()
  #all = 0

  get all(): number {
    return this.#all
  }

  of(projectId: string): number {
    return this.#ofProject.get(projectId) ?? 0
  }

  enter(projectId: string): void {
    this.#ofProject.set(projectId, this.of(projectId) + 1)
    this.#all += 1
  }

  leave(projectId: string): void {
    const left = this.of(projectId) - 1
    if (left <= 0) this.#ofProject.delete(projectId)
    else this.#ofProject.set(projectId, left)
    this.#all -= 1
  }
}

/** Whether the project's own bound was reached, `limits.runsPerProject`: the service may have room for others. */
export const isOverProjectLimit = ({ _tag, details }: Failure): boolean => _tag === "Overloaded" && details?.["limit"] === "runsPerProject"

/** Admits runs. */
export class Admission extends Context.Tag("@sibyl/core/Admission")<
  Admission,
  {
    /** Runs the effect if both the project's and the service's limits allow it. */
    readonly admit: <A, E, R>(project: ResolvedProject, run: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Overloaded, R>
    /** Fails as {@link admit} would at this moment, as far as this process knows, which counts as a refused run; takes no place. */
    readonly look: (project: ResolvedProject) => Effect.Effect<void, Overloaded>
    /** What {@link look} would fail with, once all of those that are `coming` have taken their places. */
    readonly refusal: (project: ResolvedProject, coming: RunsInFlight) => Overloaded | undefined
    /** Closes admission: no run is admitted from now on. */
    readonly close: Effect.Effect<void>
    readonly isOpen: Effect.Effect<boolean>
  }
>() {
  /** Counts the runs of this process in memory; those of a project also with the other processes of the server. */
  static readonly layer = Layer.scoped(
    Admission,
    Effect.gen(function* () {
      const { maxRunsInFlight } = yield* Options
      const shared = yield* SharedLimits
      const runsHere = new RunsHere()
      const tooManyRuns = makeTooManyRuns()
      let open = true
      const { add, read } = yield* Metrics
      yield* Effect.acquireRelease(
        Effect.sync(() => read(metricList.runsInFlight, () => runsHere.all)),
        (end) => Effect.sync(end)
      )

      const refusalOf = ({ limits, projectId }: ResolvedProject, coming = noneComing): Overloaded | undefined => {
        if (!open) return new Overloaded({ message: "the service is draining", retryAfterSeconds })
        const runs = runsHere.of(projectId)
        const may = mayStartRun(
          { own: runs + coming.own, all: runsHere.all + coming.all },
          { perProject: limits.runsPerProject, all: maxRunsInFlight }
        )
        return may ? undefined : tooManyRuns(runs, runs + coming.own < limits.runsPerProject ? "maxRunsInFlight" : "runsPerProject")
      }
      /** Counted here first: the other processes are asked only if this one has room. */
      const takePlace = (project: ResolvedProject): Effect.Effect<void, Overloaded> => {
        const refusal = refusalOf(project)
        if (refusal !== undefined) return refusal
        const { limits, projectId } = project
        runsHere.enter(projectId)
        return Effect.flatMap(shared.takeRunPlace(projectId, limits.runsPerProject), (isTaken) => {
          if (isTaken) return Effect.void
          runsHere.leave(projectId)
          return tooManyRuns(runsHere.of(projectId), "runsPerProject")
        })
      }

      return {
        admit: (project, run) =>
          whileTaken(
            () => takePlace(project),
            run,
            () => {
              runsHere.leave(project.projectId)
              shared.leaveRunPlace(project.projectId)
            }
          ),
        look: (project) =>
          Effect.suspend(() => {
            const refusal = refusalOf(project)
            if (refusal === undefined) return Effect.void
            add(metricList.runs, 1, refusal._tag, "none")
            return refusal
          }),
        refusal: refusalOf,
        close: Effect.sync(() => {
          open = false
        }),
        isOpen: Effect.sync(() => open)
      }
    })
  )
}
