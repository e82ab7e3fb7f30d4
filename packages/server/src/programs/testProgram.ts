/** Runs a program's golden cases on the VM of the server, without network access. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { ProgramBench, ProgramOutcome } from "@sibyl/devkit"
import { Effect, Either } from "effect"
import { amountText } from "../input/amount.ts"
import type { Answer } from "../output/answer.ts"
import { CommandFailed } from "../output/failure.ts"
import type { Paint } from "../output/paint.ts"
import { printable } from "../output/printable.ts"
import { type Column, table } from "../output/table.ts"
import { runRefused, scopedBench } from "./benchSettings.ts"
import { dearestDocument, dearestLines } from "./dearestFunctions.ts"
import { expectationOf, type GoldenCase, readGoldenCase, readUpdatedCase, runOfCase } from "./goldenCase.ts"
import { gasChangeText, judgeCase, type Verdict } from "./judgeCase.ts"
import { moduleAt, type ProgramModule } from "./moduleAt.ts"
import { namesIn, readBytes, readText, refuseFile, writeProgramFile } from "./programFiles.ts"

/** The options of `sibyl test`. */
export interface TestProgramOptions {
  readonly folder: string
  /** A module to test instead of the compiled sources. */
  readonly program: string | undefined
  readonly tally: string | undefined
  /** Whether to write the outcomes as the new expectations. */
  readonly update: boolean
  /** Whether to tell the dearest functions of each case. */
  readonly profile: boolean
}

/** One case that was judged. */
interface JudgedCase extends Verdict {
  readonly name: string
  /** `null` if its file is no case, so that nothing was run. */
  readonly outcome: ProgramOutcome | null
  readonly updated: boolean
}

/** The answer, and whether every case passed. */
export interface TestReport {
  readonly answer: Answer
  readonly failed: number
  readonly total: number
}

/** The case in a text; the left side says why there is none. */
const caseIn = (text: string, update: boolean): Either.Either<GoldenCase, string> =>
  Either.flatMap(Either.try({ try: () => JSON.parse(text) as unknown, catch: String }), update ? readUpdatedCase : readGoldenCase)

const runCase = (bench: ProgramBench, path: string, name: string, options: TestProgramOptions, modules: Modules) =>
  Effect.gen(function* () {
    const read = caseIn(yield* readText(path), options.update)
    // The other cases are run all the same, and this one has failed.
    if (Either.isLeft(read)) return { name, outcome: null, updated: false, faults: [printable(`${path}: ${read.left}`)], gasChange: null }
    const golden = read.right
    const outcome = yield* Effect.tryPromise({
      try: () => bench.run({ ...runOfCase(golden, modules.program, modules.tally), symbols: modules.symbols }),
      catch: runRefused
    })
    if (!options.update) return { name, outcome, updated: false, ...judgeCase(outcome, golden.expect) }
    const whole = { ...golden, expect: expectationOf(outcome, golden.expect) }
    const text = `${JSON.stringify(whole, undefined, 2)}\n`
    const updated = text !== (yield* readText(path))
    if (updated) yield* writeProgramFile(path, text)
    return { name, outcome, updated, ...judgeCase(outcome, whole.expect) }
  })

interface Modules extends ProgramModule {
  readonly tally: Uint8Array | undefined
}

const modulesOf = ({ folder, profile, program, tally }: TestProgramOptions) =>
  Effect.gen(function* () {
    const modules: Modules = {
      ...(yield* moduleAt(program ?? folder, profile)),
      tally: tally === undefined ? undefined : yield* readBytes(tally)
    }
    return modules
  })

const stateOf = ({ faults, updated }: JudgedCase): string => (faults.length > 0 ? "failed" : updated ? "updated" : "passed")

const gasText = (phase: ProgramOutcome["exec"] | null | undefined): string => (phase ? amountText(phase.gasUsed) : "-")

const columns: ReadonlyArray<Column<JudgedCase>> = [
  { head: "case", cell: ({ name }) => name },
  {
    head: "",
    cell: (one, paint) => paint(one.faults.length > 0 ? "red" : "green", stateOf(one))
  },
  { head: "gas execution", cell: ({ outcome }) => gasText(outcome?.exec), align: "right" },
  {
    head: "gas tally",
    cell: ({ outcome }) => gasText(outcome?.tally),
    align: "right"
  },
  {
    head: "change",
    cell: ({ gasChange }, paint) => (gasChange === 0n ? "none" : paint("yellow", gasChangeText(gasChange))),
    align: "right"
  }
]

const faultLines = (cases: ReadonlyArray<JudgedCase>, paint: Paint): ReadonlyArray<string> =>
  cases.flatMap(({ faults, name }) => (faults.length === 0 ? [] : ["", paint("red", name), ...faults.map((line) => `  ${line}`)]))

const profileLines = (cases: ReadonlyArray<JudgedCase>, paint: Paint): ReadonlyArray<string> =>
  cases.flatMap(({ name, outcome }) => (outcome === null ? [] : dearestLines(outcome, name, paint)))

const documentOf = (cases: ReadonlyArray<JudgedCase>, failed: number) => ({
  passed: cases.length - failed,
  failed,
  cases: cases.map((one) => ({
    name: one.name,
    state: stateOf(one),
    exitCode: one.outcome?.exitCode ?? null,
    gas: one.outcome === null ? null : { exec: one.outcome.exec.gasUsed, tally: one.outcome.tally?.gasUsed ?? null },
    gasChange: one.gasChange,
    faults: one.faults,
    ...(one.outcome === null ? {} : dearestDocument(one.outcome))
  }))
})

/** Runs the cases in `cases/` of the program's folder. */
export const testProgram = (options: TestProgramOptions) =>
  Effect.scoped(
    Effect.gen(function* () {
      yield* refuseFile(options.folder, ", which has its cases in cases/; a module is given with --program")
      if (!existsSync(options.folder)) return yield* new CommandFailed({ message: `there is no folder ${options.folder}` })
      const folder = join(options.folder, "cases")
      const names = (yield* namesIn(folder)).filter((name) => name.endsWith(".json"))
      if (names.length === 0) return yield* new CommandFailed({ message: `there are no cases in ${folder}` })
      const modules = yield* modulesOf(options)
      const bench = yield* scopedBench({ profile: options.profile })
      const cases = yield* Effect.forEach(names, (name) =>
        runCase(bench, join(folder, name), name.slice(0, -".json".length), options, modules)
      )
      const failed = cases.filter(({ faults }) => faults.length > 0).length
      const answer: Answer = {
        document: documentOf(cases, failed),
        lines: (paint) => [...table(cases, columns, "no cases", paint), ...profileLines(cases, paint), ...faultLines(cases, paint)]
      }
      const report: TestReport = { answer, failed, total: cases.length }
      return report
    })
  )
