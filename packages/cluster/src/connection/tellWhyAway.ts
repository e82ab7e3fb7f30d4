/** Why NATS stays away, for the log: an expired certificate or a server without TLS looks like one that is down. */
import { Effect } from "effect"
import type { NatsRefused, NatsUnreachable } from "./natsErrors.ts"

/** A restart of NATS is over before that. */
const lookMs = 5_000

/** Looks for an obstacle every few seconds without a connection, and tells each change of it once. */
export const tellWhyAway = (
  isConnected: () => boolean,
  obstacle: Effect.Effect<NatsUnreachable | NatsRefused | undefined>
): Effect.Effect<never> => {
  let told = ""
  const look = Effect.gen(function* () {
    if (isConnected()) {
      told = ""
      return
    }
    const met = yield* obstacle
    if (met === undefined || met.message === told || isConnected()) return
    told = met.message
    yield* Effect.logWarning(`still without NATS: ${met.message}`)
  })
  return Effect.forever(Effect.delay(look, lookMs))
}
