/** A law: one sentence that every implementation of a port must make true, and the program that finds out. */
import { Data, Effect } from "effect"
import { inspect, isDeepStrictEqual } from "node:util"

/** One law. Nothing in it belongs to a test framework: run it anywhere, it fails with {@link LawBroken} or it holds. */
export interface Law {
  readonly name: string
  readonly run: Effect.Effect<void, LawBroken>
}

/** The implementation does what the law forbids. */
export class LawBroken extends Data.TaggedError("LawBroken")<{ readonly message: string }> {}

/** Fails unless `holds`; `what` says what should have been. */
export const holdsThat = (holds: boolean, what: string): Effect.Effect<void, LawBroken> =>
  holds ? Effect.void : Effect.fail(new LawBroken({ message: what }))

const shown = (value: unknown): string => inspect(value, { depth: 9 })

/** Fails unless both are equal to the last part, bytes and bigints included. */
export const isEqual = <Value>(actual: Value, expected: Value, what: string): Effect.Effect<void, LawBroken> =>
  isDeepStrictEqual(actual, expected)
    ? Effect.void
    : Effect.fail(new LawBroken({ message: `${what}: expected ${shown(expected)}, got ${shown(actual)}` }))
