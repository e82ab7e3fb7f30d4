/** Runs recorded phases again: no way out, only tapes. */
import type { PhaseOutcome, PhaseRequest } from "@sibyl/core"
import { checkNames } from "@sibyl/core/internal"
import { Context, Effect, Layer } from "effect"
import { ReplayDiverged, replayPhase } from "./driver/replayPhase.ts"
import { poolNames } from "./pool/checkedPool.ts"
import type { PoolSettings } from "./pool/poolSettings.ts"
import { scopedPool } from "./pool/scopedPool.ts"

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
      Effect.sync(() => checkNames(options, poolNames)).pipe(
        Effect.zipRight(scopedPool(options)),
        Effect.map((pool) => ({ replay: (request, tape) => replayPhase(pool, request, tape) }))
      )
    )
}
