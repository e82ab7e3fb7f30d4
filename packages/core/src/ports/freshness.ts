/** The port that tells whether anything in the stores has changed, so that cached answers can be served without queries. */
import { Context, Layer } from "effect"

/** Gives the content of the stores a version. */
export class Freshness extends Context.Tag("@sibyl/core/Freshness")<
  Freshness,
  {
    /**
     * The version of all stores now: if two versions are equal, nothing was committed in between, by any process. Commits of
     * other processes may show only in the next turn of the event loop. `undefined` if that cannot be known; then nothing
     * may be cached. Read on every cache lookup, so it must be cheap.
     */
    readonly version: () => string | number | undefined
  }
>() {
  /** For stores that other processes may change without notice. */
  static readonly layerUnknown: Layer.Layer<Freshness> = Layer.succeed(Freshness, { version: () => undefined })
}
