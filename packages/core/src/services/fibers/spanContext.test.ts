/** A context with a span is the one that `Context.add` makes, whatever is done with it. */
import { Context, Equal, Option, Tracer } from "effect"
import fc from "fast-check"
import { expect, it } from "vitest"
import { contextInSpan } from "./spanContext.ts"

const spans = ["00f067aa0ba902b7", "00f067aa0ba902b8"].map((spanId) =>
  Tracer.externalSpan({ traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId })
)
const names = ["one", "two", "three"]
const tagOf = (name: string) => Context.GenericTag<number>(name)

const contexts = fc.record({
  services: fc.dictionary(fc.constantFrom(...names), fc.integer(), { noNullPrototype: true }),
  before: fc.array(fc.constantFrom(...spans), { maxLength: 2 }),
  /** Spans are added in turn; a service is added between them. */
  span: fc.constantFrom(...spans),
  later: fc.option(fc.tuple(fc.constantFrom(...names), fc.integer()))
})

type AddSpan = (context: Context.Context<never>, span: Tracer.AnySpan) => Context.Context<never>
const copied: AddSpan = (context, span) => Context.add(context, Tracer.ParentSpan, span)

const made = (add: AddSpan, { before, later, services, span }: typeof contexts extends fc.Arbitrary<infer Made> ? Made : never) => {
  const own = Context.unsafeMake<never>(new Map(Object.entries(services)))
  const [first, ...rest] = before
  const begun = first === undefined ? own : add(own, first)
  const changed = later === null ? begun : (Context.add(begun, tagOf(later[0]), later[1]) as Context.Context<never>)
  return add(rest.reduce(add, changed), span)
}

it("for any services, also after others", () => {
  fc.assert(
    fc.property(contexts, (given) => {
      const [lean, whole] = [made(contextInSpan, given), made(copied, given)]
      const sorted = (entries: Iterable<[string, unknown]>) => [...entries].toSorted(([one], [other]) => (one < other ? -1 : 1))
      const [of, ofWhole] = [lean.unsafeMap, whole.unsafeMap]
      expect(of.size).toBe(ofWhole.size)
      for (const read of [(map) => map, (map) => map.entries(), (map) => new Map(map)] satisfies Array<
        (map: Map<string, unknown>) => Iterable<[string, unknown]>
      >) {
        expect(sorted(read(of))).toEqual(sorted(read(ofWhole)))
      }
      expect([...of.keys()].toSorted()).toEqual([...ofWhole.keys()].toSorted())
      expect(new Set(of.values())).toEqual(new Set(ofWhole.values()))
      const visited: Array<[string, unknown]> = []
      of.forEach((value, key) => void visited.push([key, value]))
      expect(sorted(visited)).toEqual(sorted(ofWhole))
      for (const name of [...names, Tracer.ParentSpan.key]) {
        expect(of.has(name)).toBe(ofWhole.has(name))
        expect(Context.getOption(lean, tagOf(name))).toEqual(Context.getOption(whole, tagOf(name)))
      }
      expect(Option.getOrUndefined(Context.getOption(lean, Tracer.ParentSpan))).toBe(given.span)
      expect(Equal.equals(lean, whole) && Equal.equals(whole, lean)).toBe(true)
      const another = Context.make(tagOf("another"), 7)
      expect(sorted(Context.merge(lean, another).unsafeMap)).toEqual(sorted(Context.merge(whole, another).unsafeMap))
      expect(sorted(Context.omit(Tracer.ParentSpan)(lean as Context.Context<Tracer.ParentSpan>).unsafeMap)).toEqual(
        sorted(Context.omit(Tracer.ParentSpan)(whole as Context.Context<Tracer.ParentSpan>).unsafeMap)
      )
    })
  )
})
