/** The port that tells whether the stores take changes now. */
import { Context, Effect, Layer } from "effect"

/** Asks the stores for as little as possible. */
export class StoreCheck extends Context.Tag("@sibyl/core/StoreCheck")<
  StoreCheck,
  {
    /** Ends when a change would be taken; changes nothing. A `StoreUnavailable` when none is; it may take long to know. */
    readonly check: Effect.Effect<void>
  }
>() {
  /** For stores that are always there. */
  static readonly layerNone: Layer.Layer<StoreCheck> = Layer.succeed(StoreCheck, { check: Effect.void })
}
