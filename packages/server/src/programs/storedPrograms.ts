/** The deployed programs, as `sibyl program list` and `show` tell of them. */
import { ProgramStore, readHexId, type StoredProgram } from "@sibyl/core"
import { Effect, Option } from "effect"
import { amountText } from "../input/amount.ts"
import { asked } from "../input/asked.ts"
import { momentText } from "../input/moment.ts"
import type { Answer } from "../output/answer.ts"
import { CommandFailed } from "../output/failure.ts"
import { type Column, fields, table } from "../output/table.ts"

const documentOf = ({ programId, sizeBytes, storedAtMs }: StoredProgram) => ({
  programId,
  sizeBytes,
  deployedAt: momentText(storedAtMs)
})

const columns: ReadonlyArray<Column<StoredProgram>> = [
  { head: "program", cell: ({ programId }, paint) => paint("bold", programId) },
  { head: "bytes", cell: ({ sizeBytes }) => amountText(BigInt(sizeBytes)), align: "right" },
  { head: "deployed", cell: ({ storedAtMs }) => momentText(storedAtMs) }
]

const all = Effect.flatMap(ProgramStore, (store) => store.list)

/** Lists the programs. */
export const listPrograms = Effect.map(
  all,
  (programs): Answer => ({
    document: { programs: programs.map(documentOf) },
    lines: (paint) => table(programs, columns, "no programs yet: sibyl program deploy stores one", paint)
  })
)

/** Shows one program. */
export const showProgram = (text: string) =>
  Effect.gen(function*() {
    const rule = "64 hex characters, with or without 0x"
    const programId = yield* asked("<program>", rule, text, (given) => Option.fromNullable(readHexId(given)))
    const program = (yield* all).find((one) => one.programId === programId)
    if (program === undefined) return yield* new CommandFailed({ message: `there is no program ${programId}` })
    const answer: Answer = {
      document: documentOf(program),
      lines: (paint) =>
        fields(
          [
            ["program", paint("bold", program.programId)],
            ["size", `${amountText(BigInt(program.sizeBytes))} bytes`],
            ["deployed", momentText(program.storedAtMs)]
          ],
          paint
        )
    }
    return answer
  })
