/** Phases that begin from any tape and tell how it grows, so that another machine can go on where one has died. */
import { HttpFetch, Metrics, type Overloaded, type PhaseRequest, type RunOutcome } from "@sibyl/core"
import { Context, Effect, Layer, Option } from "effect"
import type { Continuation } from "./driver/continuation.ts"
import { drivePhase } from "./driver/drivePhase.ts"
import { runOutcomeOf } from "./driver/followingTally.ts"
import type { Prefetch } from "./driver/prefetch.ts"
import { Prefetching } from "./driver/prefetching.ts"
import { ProxyAccess, type ProxyDirectory } from "./driver/proxyAccess.ts"
import { forCaller } from "./driver/runCaller.ts"
import { checkedFetch } from "./driver/checkedFetch.ts"
import type { TallyJob } from "./pool/passJob.ts"
import type { PoolSettings } from "./pool/poolSettings.ts"
import { scopedPool } from "./pool/scopedPool.ts"
import type { Tape } from "./tape/tape.ts"

/** A phase, from the beginning or from a tape that it has had elsewhere. */
export interface ResumablePhase {
  readonly request: PhaseRequest
  readonly tape: Tape
  readonly continuation: Continuation
  /** The tally phase behind an execution phase of exit code 0, on the same worker. */
  readonly tally?: TallyJob | undefined
  /** This run's access to data proxies. */
  readonly proxies: Option.Option<ProxyDirectory>
}

/** Runs phases on a pool of its own. */
export class ResumableRuntime extends Context.Tag("@sibyl/vm/ResumableRuntime")<
  ResumableRuntime,
  {
    readonly run: (phase: ResumablePhase) => Effect.Effect<RunOutcome, Overloaded>
    readonly readyWorkers: () => number
  }
>() {
  /** Over the outbound HTTP that it is given. Its workers start with the layer and end with it. */
  static readonly layer = (options: PoolSettings = {}): Layer.Layer<ResumableRuntime, never, HttpFetch> =>
    Layer.scoped(
      ResumableRuntime,
      Effect.gen(function* () {
        const pool = yield* scopedPool(options)
        const http = Context.make(HttpFetch, checkedFetch(yield* HttpFetch)).pipe(Context.add(Metrics, yield* Metrics))
        const prefetching = new Prefetching()
        const run = ({ continuation, proxies, request, tally, tape }: ResumablePhase) => {
          const outside = Context.add(http, ProxyAccess, proxies)
          // What is on the tape must not be requested again.
          const isNew = tape.entries.length === 0
          return forCaller(outside, (caller) => {
            const drive = (prefetch?: Prefetch) => drivePhase({ pool, caller }, request, tape, prefetch, tally, continuation)
            const driven = isNew ? prefetching.around(caller, request, drive) : Effect.map(drive(), (phase) => ({ driven: phase }))
            return Effect.map(driven, (ended) => runOutcomeOf(ended, request, tally?.gasLimit ?? 0n))
          })
        }
        return { run, readyWorkers: () => pool.readyWorkers }
      })
    )
}
