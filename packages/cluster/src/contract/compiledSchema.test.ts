/** What is compiled reads and writes as the schema itself does: messages, and what is almost one. */
import { Either, Schema } from "effect"
import fc from "fast-check"
import { expect, it } from "vitest"
import { alive, beat, order, probe, reply } from "../testdata/anyMessage.ts"
import { compiledSchema, refused } from "./compiledSchema.ts"
import { Order, Probe } from "./orders.ts"
import { Alive, Beat, Reply } from "./replies.ts"

const others = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, true, -1, 0.5, Number.NaN, "", "fetch", "12", [], {}, new Uint8Array([1]), new Map(), 1n),
  fc.string({ maxLength: 4 })
)

/** The places in a value, at any depth. */
const placesIn = (value: unknown, path: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> =>
  typeof value !== "object" || value === null || ArrayBuffer.isView(value)
    ? [path]
    : [path, ...Object.entries(value).flatMap(([name, inner]) => placesIn(inner, [...path, name]))]

/** A copy with something else at one place; with nothing there at all, if `isDropped`. */
const changedAt = (value: unknown, [name, ...rest]: ReadonlyArray<string>, other: unknown, isDropped: boolean): unknown => {
  if (name === undefined) return other
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) }
  const fields = copy as Record<string, unknown>
  if (rest.length === 0 && isDropped) delete fields[name]
  else fields[name] = changedAt(fields[name], rest, other, isDropped)
  return copy
}

const change = fc.record({ at: fc.nat(), other: others, isDropped: fc.boolean() })

const changed = (value: unknown, { at, isDropped, other }: { at: number; other: unknown; isDropped: boolean }): unknown => {
  const places = placesIn(value)
  return changedAt(value, places[at % places.length] ?? [], other, isDropped)
}

const agrees = <A>(schema: Schema.Schema<A, unknown>, messages: fc.Arbitrary<A>): void => {
  const { read, write } = compiledSchema(schema)
  const [reads, writes] = [Schema.decodeUnknownEither(schema), Schema.encodeUnknownEither(schema)]
  const same = (ours: unknown, theirs: Either.Either<unknown, unknown>) => {
    expect(ours === refused).toBe(Either.isLeft(theirs))
    if (Either.isRight(theirs)) expect(ours).toEqual(theirs.right)
  }
  fc.assert(
    fc.property(messages, fc.array(change, { minLength: 1, maxLength: 3 }), (message, changes) => {
      const written = write(message)
      same(written, writes(message))
      same(read(written), reads(written))
      for (const one of changes) {
        const [near, almost] = [changed(written, one), changed(message, one)]
        same(read(near), reads(near))
        same(write(almost), writes(almost))
      }
    })
  )
}

const plain = <A>(schema: unknown) => schema as Schema.Schema<A, unknown>

it("orders and replies", () => {
  agrees(plain<Order>(Order), order)
  agrees(plain<Reply>(Reply), reply)
})

it("probes, their answers, beats", () => {
  agrees(plain<Probe>(Probe), probe)
  agrees(plain<Alive>(Alive), alive)
  agrees(plain<Beat>(Beat), beat)
})

it("a schema of anything else is not compiled at all", () => {
  const strange: ReadonlyArray<Schema.Schema.AnyNoContext> = [
    Schema.Struct({ a: Schema.optionalWith(Schema.Number, { default: () => 1 }) }),
    Schema.suspend(() => Schema.Number),
    Schema.SymbolFromSelf
  ]
  for (const schema of strange) expect(() => compiledSchema(schema)).toThrow("no message has")
})
