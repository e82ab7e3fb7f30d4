/** The deployed programs, as `sibyl program list` and `show` print them. */
import { type NamedProgram, ProgramNames, ProgramStore, type StoredProgram } from "@sibyl/core"
import { Effect } from "effect"
import { amountText } from "../input/amount.ts"
import { momentText } from "../input/moment.ts"
import type { Answer } from "../output/answer.ts"
import { CommandFailed } from "../output/failure.ts"
import { type Column, fields, table } from "../output/table.ts"
import { programIdOfWord } from "./programNames.ts"

/** A program with its names, including those of single projects. */
interface ListedProgram extends StoredProgram {
  readonly names: ReadonlyArray<NamedProgram>
}

const documentOf = ({ names, programId, sizeBytes, storedAtMs }: ListedProgram) => ({
  programId,
  sizeBytes,
  deployedAt: momentText(storedAtMs),
  names: names.map(({ name, owner }) => ({ name, projectId: owner }))
})

const namesText = ({ names }: ListedProgram): string =>
  names.map(({ name, owner }) => (owner === null ? name : `${name} (${owner})`)).join(", ")

const columns: ReadonlyArray<Column<ListedProgram>> = [
  { head: "program", cell: ({ programId }, paint) => paint("bold", programId) },
  { head: "bytes", cell: ({ sizeBytes }) => amountText(BigInt(sizeBytes)), align: "right" },
  { head: "deployed", cell: ({ storedAtMs }) => momentText(storedAtMs) },
  { head: "names", cell: namesText }
]

const all = Effect.gen(function* () {
  const programs = yield* Effect.flatMap(ProgramStore, (store) => store.list)
  const names = yield* Effect.flatMap(ProgramNames, (port) => port.list())
  return programs.map((program): ListedProgram => ({
    ...program,
    names: names.filter(({ programId }) => programId === program.programId)
  }))
})

/** Lists the programs. */
export const listPrograms = Effect.map(all, (programs): Answer => ({
  document: { programs: programs.map(documentOf) },
  lines: (paint) => table(programs, columns, "no programs yet: sibyl program deploy stores one", paint)
}))

/** Shows one program, by its id or a name of the service. */
export const showProgram = (text: string) =>
  Effect.gen(function* () {
    const programId = yield* programIdOfWord("<program>", text, undefined)
    const program = (yield* all).find((one) => one.programId === programId)
    if (program === undefined) return yield* new CommandFailed({ message: `there is no program ${programId}` })
    const answer: Answer = {
      document: documentOf(program),
      lines: (paint) =>
        fields(
          [
            ["program", paint("bold", program.programId)],
            ["size", `${amountText(BigInt(program.sizeBytes))} bytes`],
            ["deployed", momentText(program.storedAtMs)],
            ["names", namesText(program)]
          ],
          paint
        )
    }
    return answer
  })
