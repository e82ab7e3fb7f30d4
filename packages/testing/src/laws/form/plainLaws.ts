/** Laws over a port by itself, with the time of the machine; a refusal that a law did not expect breaks it. */
import { Effect, type Layer } from "effect"
import { checkedMake } from "./checkedMake.ts"
import { asLawBroken, type Law } from "./law.ts"

/** Laws by their sentences, each over a port from `make`. */
export const plainLaws = <Needs>(
  bodies: Readonly<Record<string, Effect.Effect<void, { readonly _tag: string }, Needs>>>,
  make: () => Layer.Layer<Needs>
): ReadonlyArray<Law> => {
  const checked = checkedMake(make)
  return Object.entries(bodies).map(([name, body]) => ({
    name,
    run: Effect.suspend(() => Effect.provide(body, checked())).pipe(Effect.mapError(asLawBroken))
  }))
}
