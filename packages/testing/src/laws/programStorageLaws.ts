/** The laws of program storage: written with the charge or not at all, separate for each project and program (decision D44). */
import { Ledger, ProgramStorage, type Project, type StorageWrite } from "@sibyl/core"
import { Effect, type Layer } from "effect"
import fc from "fast-check"
import { checkedMake } from "./form/checkedMake.ts"
import { isEqual, type Law, LawBroken } from "./form/law.ts"
import { sampleReport } from "./sampleReport.ts"
import { fundedProject, isStoreDefect, lawStartMs, type Stores } from "./form/stores.ts"
import { soakCount } from "../soak/soakCount.ts"

type Needs = Stores | ProgramStorage
type Body = Effect.Effect<void, LawBroken, Needs>

interface View {
  readonly values: Readonly<Record<string, string>>
  readonly keyCount: number
}

const [program, otherProgram] = ["e1".repeat(32), "e2".repeat(32)] as const
const leaseMs = 60_000

const hold = (project: Project) => Effect.flatMap(Ledger, (ledger) => Effect.orDie(ledger.hold(project, 1n, leaseMs)))

const reportOf = (project: Project, id: string, execProgramId: string = program) =>
  sampleReport({ projectId: project.projectId, id, execProgramId, executedAtMs: lawStartMs, total: 1n })

const write = (project: Project, id: string, storage: ReadonlyArray<StorageWrite>, execProgramId?: string) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    yield* ledger.settle(yield* hold(project), reportOf(project, id, execProgramId), { storage })
  })

const keys = ["", "0a", "0b", "ff".repeat(256)]

const kept = (project: Project, execProgramId: string = program): Effect.Effect<View, never, ProgramStorage> =>
  Effect.gen(function* () {
    const view = yield* (yield* ProgramStorage).read(project.projectId, execProgramId, keys)
    return { values: Object.fromEntries(view.values), keyCount: view.keyCount }
  })

const keeps: Body = Effect.gen(function* () {
  const [mine, theirs] = [yield* fundedProject(99n), yield* fundedProject(99n)]
  yield* isEqual(yield* kept(mine), { values: {}, keyCount: 0 }, "at first")
  const long = "ab".repeat(1_024)
  yield* write(mine, "r1", [
    { key: "0a", value: "01" },
    { key: "", value: "" },
    { key: "ff".repeat(256), value: long }
  ])
  yield* isEqual(yield* kept(mine), { values: { "": "", "0a": "01", ["ff".repeat(256)]: long }, keyCount: 3 }, "kept")
  yield* isEqual(yield* kept(theirs), { values: {}, keyCount: 0 }, "another project's")
  yield* isEqual(yield* kept(mine, otherProgram), { values: {}, keyCount: 0 }, "another program's")
  yield* write(mine, "r2", [{ key: "0a", value: "02" }], otherProgram)
  yield* write(mine, "r3", [
    { key: "", value: null },
    { key: "0b", value: null }
  ])
  yield* isEqual(yield* kept(mine), { values: { "0a": "01", ["ff".repeat(256)]: long }, keyCount: 2 }, "after a deletion")
  yield* isEqual(yield* kept(mine, otherProgram), { values: { "0a": "02" }, keyCount: 1 }, "the other program's own")
  const some = yield* (yield* ProgramStorage).read(mine.projectId, program, [])
  yield* isEqual({ ...some, values: some.values.size }, { values: 0, keyCount: 2 }, "asked for no key")
})

const allOrNothing: Body = Effect.gen(function* () {
  const ledger = yield* Ledger
  const project = yield* fundedProject(99n)
  const voided = yield* hold(project)
  yield* ledger.void(voided)
  const writes = [{ key: "0a", value: "01" }]
  yield* isStoreDefect(ledger.settle(voided, reportOf(project, "r1"), { storage: writes }), "settling a voided hold")
  yield* isEqual(yield* kept(project), { values: {}, keyCount: 0 }, "nothing is kept without a charge")
  const good = yield* hold(project)
  yield* ledger.settle(good, reportOf(project, "r2"), { storage: writes })
  yield* ledger.settle(good, reportOf(project, "r2"), { storage: [{ key: "0a", value: "ff" }] })
  yield* isEqual(yield* kept(project), { values: { "0a": "01" }, keyCount: 1 }, "a repeated settlement writes nothing")
})

const anyWrites = fc.array(
  fc.array(fc.record({ key: fc.constantFrom("", "0a", "0b"), value: fc.option(fc.constantFrom("", "01", "02")) }), { maxLength: 5 }),
  { minLength: 1, maxLength: 8 }
)

const lastWriteCounts = (makeStores: () => Layer.Layer<Needs>): Effect.Effect<void, LawBroken> =>
  Effect.tryPromise({
    try: () =>
      fc.assert(
        fc.asyncProperty(anyWrites, (runs) => {
          const check = Effect.gen(function* () {
            const project = yield* fundedProject(99n)
            const expected = new Map<string, string>()
            for (const [at, storage] of runs.entries()) {
              yield* write(project, `r${at}`, storage)
              for (const { key, value } of storage) {
                if (value === null) expected.delete(key)
                else expected.set(key, value)
              }
              const { keyCount, values } = yield* kept(project)
              yield* isEqual(keyCount, expected.size, `keys after run ${at}`)
              for (const key of ["", "0a", "0b"]) yield* isEqual(values[key], expected.get(key), `${key} after run ${at}`)
            }
          })
          return Effect.runPromise(Effect.provide(check, makeStores()))
        }),
        { numRuns: soakCount({ everyday: 8, full: 30 }) }
      ),
    catch: (cause) => new LawBroken({ message: String(cause) })
  })

/** The laws of what programs keep, over stores from `makeStores`. */
export const programStorageLaws = (makeStores: () => Layer.Layer<Needs>): ReadonlyArray<Law> => {
  const make = checkedMake(makeStores)
  return [
    {
      name: "a program's keys are separate in each project, and its values are returned exactly",
      run: Effect.suspend(() => Effect.provide(keeps, make()))
    },
    {
      name: "a run's writes are stored with its charge, once, or not at all",
      run: Effect.suspend(() => Effect.provide(allOrNothing, make()))
    },
    { name: "the last write of a key applies, within a run and across runs", run: lastWriteCounts(make) }
  ]
}
