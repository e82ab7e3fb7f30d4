/** The port that tells whether anything in the stores has changed, so that cached answers can be served without queries. */
import { Context, Layer } from "effect"

/** A version of stores: if two are equal, nothing was committed in between. `undefined` if that cannot be known. */
export type StoreVersion = string | number | undefined

/** Gives the content of the stores a version. Both versions are read often, so they must be cheap. */
export class Freshness extends Context.Tag("@sibyl/core/Freshness")<
  Freshness,
  {
    /**
     * The version of all stores now: if two versions are equal, nothing was committed in between, by any process. Commits of
     * other processes may show only in the next turn of the event loop. `undefined` if that cannot be known; then nothing
     * may be cached. Read on every cache lookup.
     */
    readonly version: () => StoreVersion
    /**
     * The same for what is configured only: organizations, projects, keys and the names of programs. Runs and their credits do
     * not change it, nor does the last use of a key; anything else may.
     */
    readonly settings: () => StoreVersion
  }
>() {
  /** For stores that other processes may change without notice. */
  static readonly layerUnknown: Layer.Layer<Freshness> = Layer.succeed(Freshness, { version: () => undefined, settings: () => undefined })
}
