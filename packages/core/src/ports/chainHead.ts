/** The port to the head of a chain, whose height and time date a result. */
import { Context, Effect, Layer } from "effect"

/** A block's height and time. */
export interface Head {
  readonly height: bigint
  readonly timestampMs: number
}

/** Returns the newest block. */
export class ChainHead extends Context.Tag("@sibyl/core/ChainHead")<
  ChainHead,
  {
    readonly head: Effect.Effect<Head>
    /** Whether the height never changes and the time is the wall clock's, so that any thread knows the head. Absent: it is not so. */
    readonly isClock?: boolean
  }
>() {
  /** No chain: height 0 and the service's own clock, as on the public network (decision D22). */
  static readonly layerNone: Layer.Layer<ChainHead> = Layer.succeed(ChainHead, {
    isClock: true,
    head: Effect.clockWith((clock) => Effect.succeed({ height: 0n, timestampMs: clock.unsafeCurrentTimeMillis() }))
  })
}
