/** The simulated environment of one run on the bench: its HTTP answers, its clock, its last result. */
import { HttpFetch, type OutboundRequest, type OutboundResponse, ProgramRuntime, ResultStore } from "@sibyl/core"
import type { PhaseProfile } from "@sibyl/vm"
import { Clock, Effect, FiberRef, Layer, Option } from "effect"
import { type AnswerRequest, outboundResponseOf, programRequestOf } from "./cannedHttp.ts"
import { type LastResultInput, lastReportOf } from "./lastReport.ts"
import type { ProgramCall } from "./programOutcome.ts"

/** The environment of one run. Absent members are as on a server. */
export interface RunEnvironment {
  readonly answer: AnswerRequest | undefined
  /** The constant time of the program's clock, epoch milliseconds. */
  readonly clockMs: number | undefined
  readonly last: LastResultInput | undefined
  /** The execution's program, and a build of its sources that names its functions. */
  readonly programId: string
  readonly symbols: Uint8Array | undefined
  readonly calls: Array<ProgramCall>
  readonly profiles: Array<PhaseProfile>
  /** What the test's own code threw while it answered. */
  fault: unknown
}

/** The environments by project: each run has its own project. */
export type RunEnvironments = ReadonlyMap<string, RunEnvironment>

const currentEnvironment = FiberRef.unsafeMake<RunEnvironment | undefined>(undefined)

const canned = (environment: RunEnvironment, answer: AnswerRequest, request: OutboundRequest): Effect.Effect<OutboundResponse> =>
  Effect.promise(async () => {
    try {
      return outboundResponseOf(request, await answer(programRequestOf(request)))
    } catch (fault) {
      environment.fault ??= fault
      return outboundResponseOf(request, { failure: "the test could not answer" })
    }
  })

const callOf = (request: OutboundRequest, response: OutboundResponse, durationMs: number): ProgramCall => ({
  ...programRequestOf(request),
  durationMs,
  ...(response.kind === "answered"
    ? { status: response.status, failure: null, responseHeaders: response.headers, response: response.bytes.slice() }
    : { status: 0, failure: response.message, responseHeaders: [], response: new Uint8Array() })
})

/** The HTTP answers of the run's environment, or else of the given port; every request and its answer are recorded. */
export const layerObservedHttp: Layer.Layer<HttpFetch, never, HttpFetch> = Layer.effect(
  HttpFetch,
  Effect.map(HttpFetch, (outside) => ({
    fetch: (request: OutboundRequest) =>
      Effect.gen(function* () {
        const environment = yield* FiberRef.get(currentEnvironment)
        if (environment === undefined) return yield* outside.fetch(request)
        const startedMs = performance.now()
        const response = yield* environment.answer === undefined ? outside.fetch(request) : canned(environment, environment.answer, request)
        environment.calls.push(callOf(request, response, performance.now() - startedMs))
        return response
      })
  }))
)

/** The runtime's clock with a constant time. */
const clockAt = (timeMs: number): Clock.Clock => ({
  ...Clock.make(),
  unsafeCurrentTimeMillis: () => timeMs,
  unsafeCurrentTimeNanos: () => BigInt(timeMs) * 1_000_000n,
  currentTimeMillis: Effect.succeed(timeMs),
  currentTimeNanos: Effect.succeed(BigInt(timeMs) * 1_000_000n),
  sleep: (duration) => Clock.make().sleep(duration)
})

/** The VM, with each run in its environment. */
export const layerInEnvironments = (environments: RunEnvironments): Layer.Layer<ProgramRuntime, never, ProgramRuntime> =>
  Layer.effect(
    ProgramRuntime,
    Effect.map(ProgramRuntime, (machine) => {
      const within = <A, E>(projectId: string, run: Effect.Effect<A, E>): Effect.Effect<A, E> => {
        const environment = environments.get(projectId)
        const local = Effect.locally(run, currentEnvironment, environment)
        return environment?.clockMs === undefined ? local : Effect.withClock(local, clockAt(environment.clockMs))
      }
      const { runBoth } = machine
      return {
        ...machine,
        run: (request) => within(request.projectId, machine.run(request)),
        ...(runBoth === undefined ? {} : { runBoth: (exec, tally) => within(exec.projectId, runBoth(exec, tally)) })
      }
    })
  )

/** The result store, with the last results of the environments. */
export const layerRememberedResults = (environments: RunEnvironments): Layer.Layer<ResultStore, never, ResultStore> =>
  Layer.effect(
    ResultStore,
    Effect.map(ResultStore, (results) => ({
      ...results,
      last: (projectId, key, mode) => {
        const environment = environments.get(projectId)
        return environment?.last === undefined
          ? results.last(projectId, key, mode)
          : Effect.succeed(Option.some(lastReportOf(projectId, environment.last, environment.clockMs ?? Date.now())))
      }
    }))
  )
