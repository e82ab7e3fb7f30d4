/** The clock of a service, whose wall time has no fraction: stores and signed timestamps have whole milliseconds. */
import { Clock, Context, DefaultServices, Effect, Layer } from "effect"

/** Effect's own clock has none: runs read it as it is. */
const effectsOwn = Context.get(DefaultServices.liveServices, Clock.Clock)

/** The same clock in whole milliseconds. What else it has, such as a test clock's `adjust`, is inherited. */
export const inWholeMilliseconds = (clock: Clock.Clock): Clock.Clock =>
  Object.assign(Object.create(clock) as Clock.Clock, {
    unsafeCurrentTimeMillis: () => Math.floor(clock.unsafeCurrentTimeMillis()),
    currentTimeMillis: Effect.suspend(() => Effect.map(clock.currentTimeMillis, Math.floor)),
    // Called on the clock itself, whose private members an heir does not have.
    unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
    sleep: (duration) => clock.sleep(duration)
  } satisfies Partial<Clock.Clock>)

/**
 * Above layers that may set a clock, such as `performance.timeOrigin + performance.now()`. A new layer at each call: a shared one would be
 * built once, over the clock of one service.
 */
export const layerWholeMilliseconds = (): Layer.Layer<never> =>
  Layer.unwrapEffect(
    Effect.clockWith((clock) => Effect.succeed(clock === effectsOwn ? Layer.empty : Layer.setClock(inWholeMilliseconds(clock))))
  )
