/** How many runs may be in flight at once; one more is turned away at once instead of waiting for ever. */
import { Context, Effect, Layer, Ref } from "effect"
import { Overloaded } from "../contract/errors.ts"
import { Options } from "./serviceOptions.ts"

const retryAfterSeconds = 1

/** The door to the runs. */
export class Admission extends Context.Tag("@sibyl/core/Admission")<
  Admission,
  {
    /** Runs the effect when there is room for it. */
    readonly admit: <A, E, R>(run: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Overloaded, R>
    /** From now on nothing is admitted. */
    readonly close: Effect.Effect<void>
    readonly isOpen: Effect.Effect<boolean>
  }
>() {
  /** A counter and a switch. */
  static readonly layer = Layer.effect(
    Admission,
    Effect.gen(function*() {
      const { maxRunsInFlight } = yield* Options
      const state = yield* Ref.make({ open: true, inFlight: 0 })

      const enter = Ref.modify(state, (now) => {
        if (!now.open) return [new Overloaded({ message: "the service is draining", retryAfterSeconds }), now] as const
        if (now.inFlight < maxRunsInFlight) return [undefined, { ...now, inFlight: now.inFlight + 1 }] as const
        return [new Overloaded({ message: "too many runs in flight; try again", retryAfterSeconds }), now] as const
      })
      const leave = Ref.update(state, (now) => ({ ...now, inFlight: now.inFlight - 1 }))

      return {
        admit: (run) =>
          Effect.acquireUseRelease(
            Effect.flatMap(enter, (refusal) => (refusal === undefined ? Effect.void : Effect.fail(refusal))),
            () => run,
            () => leave
          ),
        close: Ref.update(state, (now) => ({ ...now, open: false })),
        isOpen: Effect.map(Ref.get(state), ({ open }) => open)
      }
    })
  )
}
