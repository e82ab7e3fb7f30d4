/** The laws of the program store: bytes are found by their hash. */
import { programIdOf, ProgramStore } from "@sibyl/core"
import { Clock, Effect, type Layer, Option } from "effect"
import { holdsThat, isEqual, isThere, type Law, type LawBroken } from "./form/law.ts"
import { plainLaws } from "./form/plainLaws.ts"

type Body = Effect.Effect<void, LawBroken, ProgramStore>

const getWhatWasPut: Body = Effect.gen(function* () {
  const store = yield* ProgramStore
  const large = Uint8Array.from({ length: 1_048_576 }, (_, at) => (at * 31) & 0xff)
  const programs = [new Uint8Array(), Uint8Array.of(0), large]
  for (const program of programs) {
    yield* isEqual(yield* store.get(programIdOf(program)), Option.none(), "a program before it is stored")
    yield* isEqual(yield* store.put(program), programIdOf(program), "its id")
    yield* isEqual(yield* store.put(program), programIdOf(program), "its id the second time")
  }
  for (const program of programs) {
    yield* isEqual(yield* store.get(programIdOf(program)), Option.some(program), `${program.length} bytes`)
  }
})

const bytesAreCopies: Body = Effect.gen(function* () {
  const store = yield* ProgramStore
  const program = Uint8Array.of(1, 2, 3)
  const programId = yield* store.put(program)
  program.fill(9)
  const found = yield* isThere(yield* store.get(programId), "the program, by the id that storing it gave")
  found.fill(8)
  yield* isEqual(yield* store.get(programId), Option.some(Uint8Array.of(1, 2, 3)), "the stored bytes")
})

const listWhatWasPut: Body = Effect.gen(function* () {
  const store = yield* ProgramStore
  yield* isEqual(yield* store.list, [], "the programs before any is stored")
  const programs = [Uint8Array.of(7, 7, 7), new Uint8Array(), Uint8Array.of(1), Uint8Array.of(7, 7, 7)]
  const beforeMs = yield* Clock.currentTimeMillis
  for (const program of programs) {
    yield* store.put(program)
    // So that the next one has a later date, also with a clock of whole milliseconds.
    yield* Effect.sleep(2)
  }
  const afterMs = yield* Clock.currentTimeMillis
  const listed = yield* store.list
  const expected = programs.slice(0, 3).map((bytes) => ({ programId: programIdOf(bytes), sizeBytes: bytes.length }))
  const named = listed.map(({ programId, sizeBytes }) => ({ programId, sizeBytes }))
  yield* isEqual(named, expected, "the programs, each once, oldest first")
  const timely = listed.every(({ storedAtMs }) => beforeMs <= storedAtMs && storedAtMs <= afterMs)
  yield* holdsThat(
    timely,
    `each program was stored when it was put, from ${beforeMs} to ${afterMs}, not at ${listed.map(({ storedAtMs }) => storedAtMs)}`
  )
})

const bodies: Readonly<Record<string, Body>> = {
  "a program is found by its id, also if it was stored twice": getWhatWasPut,
  "all programs are listed, each once, oldest first": listWhatWasPut,
  "changing the caller's bytes does not change the store": bytesAreCopies
}

/** The laws of the program store, over stores from `makeStore`. */
export const programStoreLaws = (makeStore: () => Layer.Layer<ProgramStore>): ReadonlyArray<Law> => plainLaws(bodies, makeStore)
