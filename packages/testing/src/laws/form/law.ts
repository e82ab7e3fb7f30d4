/** A law: one sentence that every implementation of a port must satisfy, and the program that checks it. */
import { Data, Effect, Option } from "effect"
import { inspect, isDeepStrictEqual } from "node:util"

/** One law. It depends on no test framework: run anywhere, it fails with {@link LawBroken} or succeeds. */
export interface Law {
  readonly name: string
  readonly run: Effect.Effect<void, LawBroken>
}

/** The implementation violates the law. */
export class LawBroken extends Data.TaggedError("LawBroken")<{ readonly message: string }> {}

const shown = (value: unknown): string => inspect(value, { depth: 9 })

/** What a law did not expect breaks it: a refusal, by its tag, or whatever an implementation fails with against its type. */
export const asLawBroken = (error: { readonly _tag: string } | LawBroken): LawBroken => {
  if (error instanceof LawBroken) return error
  const { _tag } = Object(error) as { readonly _tag?: unknown }
  return new LawBroken({ message: `an unexpected ${typeof _tag === "string" ? _tag : `failure: ${shown(error)}`}` })
}

/** Fails unless `holds`; `what` describes the expectation. */
export const holdsThat = (holds: boolean, what: string): Effect.Effect<void, LawBroken> =>
  holds ? Effect.void : Effect.fail(new LawBroken({ message: what }))

/** The value; fails if there is none. `what` names it. */
export const isThere = <Value>(found: Option.Option<Value>, what: string): Effect.Effect<Value, LawBroken> =>
  Option.match(found, { onNone: () => Effect.fail(new LawBroken({ message: `${what}: there is none` })), onSome: Effect.succeed })

/** Fails unless both are deeply equal, bytes and bigints included. */
export const isEqual = <Value>(actual: Value, expected: Value, what: string): Effect.Effect<void, LawBroken> =>
  isDeepStrictEqual(actual, expected)
    ? Effect.void
    : Effect.fail(new LawBroken({ message: `${what}: expected ${shown(expected)}, got ${shown(actual)}` }))
