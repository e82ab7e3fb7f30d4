/** Ports and a clock of one life of a service: when it is killed, whatever it had under way never comes back. */
import { Clock, Context, Effect } from "effect"

/** The life of a process. */
export interface Life {
  isOver: boolean
}

/** Never ends if the process is dead before or after; what was done is done. */
const orNever = <A, E, R>(life: Life, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => (life.isOver ? Effect.never : Effect.onExit(effect, () => (life.isOver ? Effect.never : Effect.void))))

/** The port through which only a living process reaches the same. */
const mortal = <Port extends object>(port: Port, life: Life): Port =>
  new Proxy(port, {
    get: (target, name): unknown => {
      const member: unknown = Reflect.get(target, name)
      if (Effect.isEffect(member)) return orNever(life, member)
      if (typeof member !== "function") return member
      return (...args: ReadonlyArray<unknown>): unknown => {
        const result: unknown = Reflect.apply(member, target, args)
        return Effect.isEffect(result) ? orNever(life, result) : result
      }
    }
  })

/** The same services for one life. */
export const mortalContext = <Services>(context: Context.Context<Services>, life: Life): Context.Context<Services> =>
  Context.unsafeMake(
    new Map(
      [...context.unsafeMap].map(([key, service]: readonly [string, unknown]) => [
        key,
        typeof service === "object" && service !== null ? mortal(service, life) : service
      ])
    )
  )

/** A clock on which a dead process never wakes. */
export const mortalClock = (clock: Clock.Clock, life: Life): Clock.Clock => ({
  [Clock.ClockTypeId]: Clock.ClockTypeId,
  unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis(),
  unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
  currentTimeMillis: clock.currentTimeMillis,
  currentTimeNanos: clock.currentTimeNanos,
  sleep: (duration) => orNever(life, clock.sleep(duration))
})
