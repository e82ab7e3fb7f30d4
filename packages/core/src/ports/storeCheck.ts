/** The port that checks whether the stores accept changes now. */
import { Context, Effect, Layer } from "effect"

/** Checks the stores with the smallest possible operation. */
export class StoreCheck extends Context.Tag("@sibyl/core/StoreCheck")<
  StoreCheck,
  {
    /** Succeeds if a change would be accepted; changes nothing. Otherwise a `StoreUnavailable`, which may take a while to detect. */
    readonly check: Effect.Effect<void>
  }
>() {
  /** For stores that are always reachable. */
  static readonly layerNone: Layer.Layer<StoreCheck> = Layer.succeed(StoreCheck, { check: Effect.void })
}
