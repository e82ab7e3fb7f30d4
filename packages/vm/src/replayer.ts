/** Runs recorded phases again: no way out, only tapes. */
import type { PhaseOutcome, PhaseRequest } from "@sibyl/core"
import { Context, Effect, Layer } from "effect"
import { ReplayDiverged, replayPhase } from "./driver/replayPhase.ts"
import { type PoolSettings, scopedPool } from "./pool/scopedPool.ts"

export { ReplayDiverged }

/** Runs phases on their tapes, on a pool of its own. */
export class Replayer extends Context.Tag("@sibyl/vm/Replayer")<
  Replayer,
  {
    /** `tape` is the text of `PhaseOutcome.tape`. The same request and tape give the same outcome on every engine. */
    readonly replay: (request: PhaseRequest, tape: string) => Effect.Effect<PhaseOutcome, ReplayDiverged>
  }
>() {
  /** Its workers start with the layer and end with it. */
  static readonly layer = (options: Pick<PoolSettings, "workers"> = {}): Layer.Layer<Replayer> =>
    Layer.scoped(
      Replayer,
      Effect.map(scopedPool(options), (pool) => ({ replay: (request, tape) => replayPhase(pool, request, tape) }))
    )
}
