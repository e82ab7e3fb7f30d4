/** Tells the log that the store is away and when it is back, however many requests are refused meanwhile. */
import { Clock, Context, Effect, FiberSet, Layer } from "effect"
import { StoreCheck } from "../storeCheck.ts"

/** How often a store that is away is looked at. */
const lookMs = 1_000

/** A long outage is told again so often. */
const remindMs = 60_000

/** What {@link StoreOutage} is. */
export interface StoreOutages {
  /** A request was refused because the store is away: a line for the first one, the others are counted. */
  readonly refused: (line: string) => Effect.Effect<void>
  /** Other work failed or waits because the store is away: a line for the first of each kind, of which there are few. */
  readonly met: (kind: string, why: string) => Effect.Effect<void>
  /** Work that the store keeps waiting: until it ends, the store is not back. */
  readonly heldUp: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** An outage that is not over. */
interface Outage {
  readonly sinceMs: number
  /** The kinds of other work that there was a line for. */
  readonly kinds: Set<string>
  refused: number
  toldMs: number
}

const steadyMs = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos) / 1e6)

const told = ({ refused, sinceMs }: Outage, nowMs: number, line: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.annotateLogs(line, { seconds: Math.round((nowMs - sinceMs) / 1_000), refused })

/** Without one provided, each refusal and each failure is a line. */
export class StoreOutage extends Context.Reference<StoreOutage>()("@sibyl/core/StoreOutage", {
  defaultValue: (): StoreOutages => ({
    refused: (line) => Effect.logWarning(line),
    met: (kind, why) => Effect.logWarning(`${kind}: ${why}`),
    heldUp: (work) => work
  })
}) {
  /**
   * Looks at a store that is away until it accepts changes, nothing waits for it, and nothing was refused since the look before: some
   * statements may fail where others do not (a full disk takes those that need no space), and each of them would be the end of an outage
   * and the begin of the next.
   */
  static readonly layer: Layer.Layer<StoreOutage, never, StoreCheck> = Layer.scoped(
    StoreOutage,
    Effect.gen(function* () {
      const { check } = yield* StoreCheck
      // Not the fiber of the request that met it first, whose annotations would be those of every line.
      const fork = yield* FiberSet.makeRuntime()
      let now: Outage | undefined
      let waiting = 0

      // The end of the service waits for no database.
      const isBack = Effect.disconnect(Effect.interruptible(check)).pipe(
        Effect.as(true),
        Effect.catchAllCause(() => Effect.succeed(false))
      )
      const watch = (outage: Outage): Effect.Effect<void> =>
        Effect.gen(function* () {
          for (;;) {
            const { refused } = outage
            yield* Effect.sleep(lookMs)
            const accepts = yield* isBack
            const nowMs = yield* steadyMs
            if (accepts && waiting === 0 && outage.refused === refused) {
              now = undefined
              return yield* told(outage, nowMs, Effect.logInfo("the database is back"))
            }
            if (nowMs - outage.toldMs < remindMs) continue
            outage.toldMs = nowMs
            yield* told(outage, nowMs, Effect.logWarning("the database is still away"))
          }
        })
      const begun = Effect.map(steadyMs, (nowMs) => {
        if (now !== undefined) return now
        now = { sinceMs: nowMs, kinds: new Set(), toldMs: nowMs, refused: 0 }
        fork(watch(now))
        return now
      })
      yield* Effect.addFinalizer(() => {
        const outage = now
        if (outage === undefined) return Effect.void
        return Effect.flatMap(steadyMs, (nowMs) => told(outage, nowMs, Effect.logWarning("the database is still away at the end")))
      })
      const refused = (line: string) =>
        Effect.flatMap(begun, (outage) => {
          outage.refused += 1
          return outage.refused === 1 ? Effect.logWarning(`${line}; more refusals are counted until it is back`) : Effect.void
        })
      const met = (kind: string, why: string) =>
        Effect.flatMap(begun, ({ kinds }) => {
          if (kinds.has(kind)) return Effect.void
          kinds.add(kind)
          return Effect.logWarning(`${kind}: ${why}`)
        })
      const heldUp = <A, E, R>(work: Effect.Effect<A, E, R>) =>
        Effect.acquireUseRelease(
          Effect.sync(() => void (waiting += 1)),
          () => work,
          () => Effect.sync(() => void (waiting -= 1))
        )
      return { refused, met, heldUp }
    })
  )
}
