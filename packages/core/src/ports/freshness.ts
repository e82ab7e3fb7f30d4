/** The port that tells whether anything in the stores has changed, so that an answer may be given again without asking them. */
import { Context, Layer } from "effect"

/** Knows when what was read is still what would be read. */
export class Freshness extends Context.Tag("@sibyl/core/Freshness")<
  Freshness,
  {
    /**
     * The state of all stores now: two equal versions mean that nothing was committed between them, by anyone; what another
     * process has committed may show with the next turn of the event loop only. `undefined`: that cannot be told, nothing
     * may be given again. Asked for at every request that was answered before, so it must cost next to nothing.
     */
    readonly version: () => string | number | undefined
  }
>() {
  /** For stores that others may change unseen. */
  static readonly layerUnknown: Layer.Layer<Freshness> = Layer.succeed(Freshness, { version: () => undefined })
}
