/** Spans of a run, with and without a tracer that reads them. */
import { Effect, Layer, Option, RuntimeFlags, Tracer } from "effect"
import { describe, expect, it } from "vitest"
import { allWell, outcome, type Script } from "../../testdata/scriptedRuntime.ts"
import { openTestService, seamRequest, withTestService } from "../../testdata/testService.ts"
import { Execution } from "../execution.ts"
import { traced } from "./traced.ts"

const tracerOfEffect = Effect.runSync(Effect.tracer)

/** A tracer that notes each span as `parent/name`. */
const noting = (spans: Array<string>): Tracer.Tracer => {
  return Tracer.make({
    context: (f) => f(),
    span: (name, parent, ...rest) => {
      spans.push(`${Option.match(parent, { onNone: () => "", onSome: (span) => (span._tag === "Span" ? span.name : "") })}/${name}`)
      return tracerOfEffect.span(name, parent, ...rest)
    }
  })
}

const oneRun = (script = allWell) =>
  withTestService({ script }, ({ command }) => Effect.flatMap(Execution, (execution) => Effect.exit(execution.execute(command()))))

describe("spans", () => {
  it("are made of a run for an installed tracer, also across the fiber of the run", async () => {
    const spans: Array<string> = []
    await Effect.runPromise(Effect.provide(oneRun(), Layer.setTracer(noting(spans))))
    expect(spans).toEqual(expect.arrayContaining(["/run", "run/hold", "run/execute", "run/tally", "run/sign", "run/settle"]))
  })

  it("are not made without one", async () => {
    const inside: Array<Option.Option<unknown>> = []
    const noteSpan = Effect.map(Effect.option(Effect.currentSpan), (span) => void inside.push(span))
    await Effect.runPromise(traced("nobody", noteSpan))
    await Effect.runPromise(Effect.withSpan(noteSpan, "somebody"))
    expect(inside.map(Option.isSome)).toEqual([false, true])
  })
})

describe("an open service", () => {
  it("does not count its fibers", async () => {
    const counted: Array<boolean> = []
    const script: Script = () =>
      Effect.withFiberRuntime((_fiber, { runtimeFlags }) => {
        counted.push(RuntimeFlags.isEnabled(runtimeFlags, RuntimeFlags.RuntimeMetrics))
        return Effect.succeed(outcome())
      })
    const { execProgramId, key, service } = await openTestService({ script })
    const headers = { authorization: `Bearer ${key}` }
    await service.fetch(seamRequest("GET", `/execute?execProgramId=${execProgramId}`, { headers }))
    expect(counted).toEqual([false, false])
    await service.dispose()
  })
})
