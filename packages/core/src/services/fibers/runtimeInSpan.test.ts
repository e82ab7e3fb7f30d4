/** A fiber knows the span around it, whether or not anybody records that. */
import { Context, Effect, Exit, FiberRef, FiberRefs, Layer, Logger, Option, Runtime, Tracer } from "effect"
import { describe, expect, it } from "vitest"
import { runtimeInSpan } from "./runtimeInSpan.ts"
import { spanHere, traced } from "./traced.ts"

const ofEffect = Effect.runSync(Effect.tracer)

/** Records everything but what is inside of what is not recorded. */
const tracer = Tracer.make({
  context: (f) => f(),
  span: (name, parent, ...rest) =>
    Object.assign(ofEffect.span(name, parent, ...rest), { sampled: Option.getOrUndefined(parent)?.sampled ?? true })
})

const outside = (sampled: boolean): Tracer.AnySpan =>
  Tracer.externalSpan({ traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7", sampled })

const nameHere = Effect.map(spanHere, (span) => (span?._tag === "Span" ? span.name : (span?._tag ?? "none")))

/** What is told in a fiber that starts in this span, by the way to it. */
const toldIn = async (span: Tracer.AnySpan | undefined) => {
  const logged: Array<Tracer.AnySpan | undefined> = []
  const logger = Logger.make<unknown, void>(({ context }) => {
    const services = FiberRefs.getOrDefault(context, FiberRef.currentContext)
    logged.push(Option.getOrUndefined(Context.getOption(services, Tracer.ParentSpan)))
  })
  const told = Effect.all({
    here: nameHere,
    inside: traced("inside", nameHere),
    ofItsOwn: traced("of its own", traced("inside of that", nameHere), {}, { root: true }),
    forked: Effect.flatMap(Effect.fork(nameHere), (fiber) => fiber.await),
    hereAgain: nameHere
  })
  const work = Effect.zipLeft(told, Effect.logInfo("it"))
  const layer = Layer.merge(Layer.setTracer(tracer), Logger.replace(Logger.defaultLogger, logger))
  const names = await Effect.runPromise(
    Effect.provide(
      Effect.flatMap(Effect.runtime(), (runtime) => Effect.promise(() => Runtime.runPromise(runtimeInSpan(runtime, span))(work))),
      layer
    )
  )
  return { names, logged }
}

describe("a fiber that starts in a span", () => {
  it.each([
    ["has what is recorded inside of it", true, "inside"],
    ["that nobody records has no spans inside of it but those of traces of their own", false, "ExternalSpan"]
  ])("%s", async (_what, sampled, inside) => {
    const span = outside(sampled)
    const forked = Exit.succeed("ExternalSpan")
    const names = { here: "ExternalSpan", inside, ofItsOwn: "inside of that", forked, hereAgain: "ExternalSpan" }
    expect(await toldIn(span)).toEqual({ names, logged: [span] })
  })

  it("is as it was without one", async () => {
    const { logged, names } = await toldIn(undefined)
    expect([names.here, names.inside, names.forked, logged]).toEqual(["none", "inside", Exit.succeed("none"), [undefined]])
  })
})
