/** What is wrong with a file of flame graphs, by the rules that speedscope publishes for its own format (evented profiles). */
import { Either, Schema } from "effect"

const Frame = Schema.Struct({
  name: Schema.String,
  file: Schema.optional(Schema.String),
  line: Schema.optional(Schema.Number),
  col: Schema.optional(Schema.Number)
})

const Event = Schema.Struct({ type: Schema.Literal("O", "C"), frame: Schema.NonNegativeInt, at: Schema.Finite })

const Evented = Schema.Struct({
  type: Schema.Literal("evented"),
  name: Schema.String,
  unit: Schema.Literal("none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"),
  startValue: Schema.Finite,
  endValue: Schema.Finite,
  events: Schema.Array(Event)
})

const File = Schema.Struct({
  $schema: Schema.Literal("https://www.speedscope.app/file-format-schema.json"),
  shared: Schema.Struct({ frames: Schema.Array(Frame) }),
  profiles: Schema.NonEmptyArray(Evented),
  name: Schema.optional(Schema.String),
  exporter: Schema.optional(Schema.String),
  activeProfileIndex: Schema.optional(Schema.NonNegativeInt)
})

/** Events never go back, stay between start and end, and close the frame that was opened last. */
const eventFaults = ({ endValue, events, startValue }: typeof Evented.Type, frames: number): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const open: Array<number> = []
  let last = startValue
  for (const [place, { at, frame, type }] of events.entries()) {
    if (at < last) faults.push(`event ${place} goes back`)
    if (frame >= frames) faults.push(`event ${place} has no frame`)
    if (type === "O") open.push(frame)
    else if (open.pop() !== frame) faults.push(`event ${place} closes another frame`)
    last = at
  }
  if (open.length > 0) faults.push("frames stay open")
  if (last > endValue) faults.push("events go beyond the end")
  return faults
}

/** The faults; none where the file keeps to the format. */
export const flameGraphFaults = (document: unknown): ReadonlyArray<string> =>
  Either.match(Schema.decodeUnknownEither(File, { onExcessProperty: "error" })(document), {
    onLeft: ({ message }) => [message],
    onRight: ({ activeProfileIndex = 0, profiles, shared }) => [
      ...(activeProfileIndex < profiles.length ? [] : ["there is no active profile"]),
      ...profiles.flatMap((profile) => eventFaults(profile, shared.frames.length))
    ]
  })
