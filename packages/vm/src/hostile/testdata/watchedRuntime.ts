/** The program runtime of a test, and why workers of it were lost. */
import { HttpFetch, metricList, Metrics, type PhaseOutcome, type PhaseRequest, ProgramRuntime } from "@sibyl/core"
import { Effect, Layer, ManagedRuntime } from "effect"
import { layerProgramRuntime, type RuntimeOptions } from "../../runtime.ts"

/** A runtime whose lost workers are counted by reason. */
export interface WatchedRuntime {
  readonly run: (request: PhaseRequest) => Promise<PhaseOutcome>
  readonly lost: ReadonlyMap<string, number>
  readonly dispose: () => Promise<void>
}

/** Starts it; programs have no way out. */
export const openWatchedRuntime = (options: RuntimeOptions): WatchedRuntime => {
  const lost = new Map<string, number>()
  const measuring = {
    isOn: true,
    observe: () => {},
    read: () => () => {},
    add: ({ name }: { readonly name: string }, by: number, reason = ""): void => {
      if (name === metricList.workersLost.name) lost.set(reason, (lost.get(reason) ?? 0) + by)
    }
  }
  const parts = Layer.merge(HttpFetch.layerClosed, Layer.succeed(Metrics, measuring))
  const runtime = ManagedRuntime.make(layerProgramRuntime(options).pipe(Layer.provide(parts)))
  return {
    run: (request) => runtime.runPromise(Effect.flatMap(ProgramRuntime, ({ run }) => run(request))),
    lost,
    dispose: () => runtime.dispose()
  }
}
