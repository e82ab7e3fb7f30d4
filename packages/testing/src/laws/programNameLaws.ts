/** The laws of program names: the last change applies, a project's own name takes precedence, and history is kept. */
import { type NamedProgram, type NameOwner, ProgramNames } from "@sibyl/core"
import { Effect, type Layer, Option } from "effect"
import { isEqual, type Law } from "./form/law.ts"
import { type LawBody, isRefused, storeLaws } from "./form/storeLaws.ts"
import { fundedProject, lawStartMs, type Stores } from "./form/stores.ts"

const [first, second, third] = ["a1".repeat(32), "b2".repeat(32), "c3".repeat(32)] as const
const name = "v1.prices.acme"
const nobody = "00000000-0000-4000-8000-000000000000"

const given = (programId: string, owner: NameOwner = null, wanted = name) =>
  Effect.flatMap(ProgramNames, (names) => names.give({ name: wanted, owner, programId }))

const found = (projectId: string, wanted = name) =>
  Effect.map(
    Effect.flatMap(ProgramNames, (names) => names.find(projectId, wanted)),
    Option.getOrNull
  )

const line = ({ name: text, owner, programId }: NamedProgram) => [text, owner, programId]

type Body = LawBody<Stores | ProgramNames>

const means: Body = (clock) =>
  Effect.gen(function* () {
    const { projectId } = yield* fundedProject(0n)
    yield* isEqual(yield* found(projectId), null, "a name that nobody gave")
    const expected = { name, owner: null, programId: first, sinceMs: lawStartMs }
    yield* isEqual(yield* given(`0x${first.toUpperCase()}`), expected, "what naming answers")
    yield* isEqual(yield* found(projectId), first, "the name")
    yield* isEqual(yield* found(projectId, "v2.prices.acme"), null, "another name")
    clock.advance(5)
    yield* isEqual(yield* given(first), expected, "the same again")
    yield* isEqual(yield* given(second), { ...expected, programId: second, sinceMs: lawStartMs + 5 }, "the renamed one")
    yield* isEqual(yield* found(projectId), second, "the name from then on")
  })

const ownComesFirst: Body = () =>
  Effect.gen(function* () {
    const names = yield* ProgramNames
    const { projectId: ours } = yield* fundedProject(0n)
    const { projectId: theirs } = yield* fundedProject(0n)
    yield* given(first, ours)
    yield* isEqual(yield* found(theirs), null, "another project's name")
    yield* given(second)
    yield* isEqual([yield* found(ours), yield* found(theirs)], [first, second], "own before the service's")
    yield* isEqual(yield* names.take(ours, name), true, "taking one's own name away")
    yield* isEqual([yield* found(ours), yield* found(theirs)], [second, second], "the service's, no longer hidden")
    yield* isEqual(yield* names.take(null, name), true, "taking the service's name away")
    yield* isEqual([yield* found(ours), yield* found(theirs)], [null, null], "no name is left")
    yield* isEqual(yield* names.take(null, name), false, "taking it away again")
  })

const nothingIsForgotten: Body = (clock) =>
  Effect.gen(function* () {
    const names = yield* ProgramNames
    const { projectId } = yield* fundedProject(0n)
    yield* isEqual(yield* names.history(), [], "the history of a name that nobody gave")
    yield* given(first)
    clock.advance(10)
    yield* given(second)
    yield* given(second)
    clock.advance(10)
    yield* names.take(null, name)
    yield* names.take(null, name)
    clock.advance(10)
    yield* given(first)
    yield* given(third, projectId)
    const changes = [first, second, null, first].map((programId, at) => ({
      name,
      owner: null,
      programId,
      sinceMs: lawStartMs + 10 * at
    }))
    const own = { name, owner: projectId, programId: third, sinceMs: lawStartMs + 30 }
    yield* isEqual(yield* names.history(name), [...changes, own], "the history of a name")
    const other = yield* given(first, null, "a.b")
    yield* isEqual(yield* names.history(), [other, ...changes, own], "the history of every name")
    yield* isEqual(yield* names.history("no.name"), [], "the history of another name")
  })

const listed: Body = () =>
  Effect.gen(function* () {
    const names = yield* ProgramNames
    const { projectId: ours } = yield* fundedProject(0n)
    const { projectId: theirs } = yield* fundedProject(0n)
    yield* given(first, null, "b.x")
    yield* given(second, null, "b-a.x")
    yield* given(third, null, "a.z.x")
    yield* given(first, null, "gone.x")
    yield* names.take(null, "gone.x")
    yield* given(third, ours, "b.x")
    yield* given(first, theirs, "c.x")
    const service = [
      ["a.z.x", null, third],
      ["b-a.x", null, second],
      ["b.x", null, first]
    ]
    const [own, other] = [
      ["b.x", ours, third],
      ["c.x", theirs, first]
    ]
    yield* isEqual((yield* names.list(ours)).map(line), [...service, own], "the names that a project could use")
    yield* isEqual((yield* names.list(theirs)).map(line), [...service, other], "those of another project")
    yield* isEqual((yield* names.list()).map(line), [...service, own, other], "all names")
  })

const refuses: Body = () =>
  Effect.gen(function* () {
    const names = yield* ProgramNames
    for (const wrong of ["prices", first, "V1.prices", "v1..prices", ".v1", "v1.", "-a.b", "a-.b", "a_b.c", `${"a.".repeat(64)}b`]) {
      yield* isRefused(given(first, null, wrong), { field: "name" }, wrong)
    }
    yield* isRefused(given("a1"), { field: "programId" }, "an id that is none")
    yield* isRefused(given(first, nobody), "ProjectNotFound", "a project that is not there")
    yield* isEqual(yield* names.list(), [], "what refusals left")
  })

const manyAtOnce: Body = () =>
  Effect.gen(function* () {
    const names = yield* ProgramNames
    const { projectId } = yield* fundedProject(0n)
    const ids = Array.from({ length: 20 }, (_, at) => at.toString(16).padStart(64, "0"))
    yield* Effect.all(
      ids.map((programId) => given(programId)),
      { concurrency: "unbounded" }
    )
    const history = (yield* names.history(name)).map(({ programId }) => programId)
    yield* isEqual(new Set(history), new Set(ids), "every change of 20 at once stands in the history")
    yield* isEqual(yield* found(projectId), history.at(-1) ?? null, "the last one is in force")
  })

const bodies: Readonly<Record<string, Body>> = {
  "a name means the program that it was given last, and since when": means,
  "a project's own name takes precedence over the service's, and is used by no other project": ownComesFirst,
  "the history of a name is kept with its times, also after its removal": nothingIsForgotten,
  "names are listed alphabetically, a project's own together with the service's": listed,
  "an invalid name, an invalid id or an unknown project is refused and changes nothing": refuses,
  "of many concurrent changes of one name none is lost": manyAtOnce
}

/** The laws of the names, over stores from `makeStores`. */
export const programNameLaws = (makeStores: () => Layer.Layer<Stores | ProgramNames>): ReadonlyArray<Law> => storeLaws(bodies, makeStores)
