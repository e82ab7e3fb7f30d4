/** Which traces are recorded: those that a caller records, and a part of those that begin here. */
import { Option, Tracer } from "effect"

const digits = (count: number): string => {
  let text = ""
  while (text.length < count)
    text += Math.floor(Math.random() * 2 ** 32)
      .toString(16)
      .padStart(8, "0")
  return text.slice(0, count)
}

/** A span that is only a place in a trace: it is given on, and recorded nowhere. */
const unrecorded = (...[name, parent, context, links, startTime, kind]: Parameters<Tracer.Tracer["span"]>): Tracer.Span => ({
  _tag: "Span",
  name,
  spanId: digits(16),
  traceId: Option.match(parent, { onNone: () => digits(32), onSome: ({ traceId }) => traceId }),
  parent,
  context,
  status: { _tag: "Started", startTime },
  attributes: new Map(),
  links,
  sampled: false,
  kind,
  end: () => {},
  attribute: () => {},
  event: () => {},
  addLinks: () => {}
})

/** The tracer for the spans that are sampled. `ended` is called at the end of each of them. */
export const sampledTracer = (tracer: Tracer.Tracer, ratio: number, ended: () => void): Tracer.Tracer =>
  Tracer.make({
    context: (f) => f(),
    span: (...given) => {
      const [, parent, , , , kind] = given
      // A call to elsewhere that is part of no trace, such as a statement of the housekeeping, is none of its own.
      const isBegun = () => kind !== "client" && Math.random() < ratio
      const isSampled = Option.match(parent, { onNone: isBegun, onSome: ({ sampled }) => sampled })
      if (!isSampled) return unrecorded(...given)
      const span = tracer.span(...given)
      const end = span.end.bind(span)
      return Object.assign(span, {
        end: (...how: Parameters<Tracer.Span["end"]>) => {
          ended()
          end(...how)
        }
      })
    }
  })
