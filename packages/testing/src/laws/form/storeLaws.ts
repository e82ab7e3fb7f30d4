/** Laws over fresh stores, each with its own clock; a refusal that a law did not expect breaks it. */
import { Effect, type Layer } from "effect"
import { type HandClock, makeHandClock } from "../../clock/handClock.ts"
import { checkedMake } from "./checkedMake.ts"
import { asLawBroken, isEqual, type Law, LawBroken } from "./law.ts"
import { lawStartMs, type Stores } from "./stores.ts"

/** What a law does with the stores; it begins at {@link lawStartMs}. */
export type LawBody<Needs = Stores> = (clock: HandClock) => Effect.Effect<void, { readonly _tag: string }, Needs>

/** Laws by their sentences, over stores from `makeStores`. */
export const storeLaws = <Needs = Stores>(
  bodies: Readonly<Record<string, LawBody<Needs>>>,
  makeStores: () => Layer.Layer<Needs>
): ReadonlyArray<Law> => {
  const make = checkedMake(makeStores)
  return Object.entries(bodies).map(([name, body]) => ({
    name,
    run: Effect.suspend(() => {
      const clock = makeHandClock(lawStartMs)
      return Effect.withClock(Effect.provide(body(clock), make()), clock)
    }).pipe(Effect.mapError(asLawBroken))
  }))
}

/** Holds if `effect` is refused with `expected`: its tag, and the field if there is one. */
export const isRefused = <A, E extends { readonly _tag: string; readonly field?: string }, R>(
  effect: Effect.Effect<A, E, R>,
  expected: E["_tag"] | { readonly field: string },
  what: string
): Effect.Effect<void, LawBroken, R> =>
  Effect.matchEffect(effect, {
    onSuccess: () => Effect.fail(new LawBroken({ message: `${what} is refused` })),
    onFailure: ({ _tag, field }) =>
      typeof expected === "string"
        ? isEqual<string>(_tag, expected, what)
        : isEqual({ _tag, field }, { _tag: "InvalidSetting", field: expected.field }, what)
  })
