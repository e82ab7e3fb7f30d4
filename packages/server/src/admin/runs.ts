/** A project's recent runs, as `sibyl runs` lists them. */
import { Accounts, type PlacedReport } from "@sibyl/core"
import { Effect, Option } from "effect"
import { amountText } from "../input/amount.ts"
import { refusedValue } from "../input/asked.ts"
import { momentText } from "../input/moment.ts"
import type { Answer } from "../output/answer.ts"
import { type Column, table } from "../output/table.ts"

const columns: ReadonlyArray<Column<PlacedReport>> = [
  { head: "run", cell: ({ report }) => report.id },
  { head: "at", cell: ({ report }, paint) => paint("dim", momentText(report.executedAtMs)) },
  { head: "source", cell: ({ report }) => report.source },
  { head: "program", cell: ({ report }) => `${report.dataRequest.execProgramId.slice(0, 12)}...` },
  {
    head: "exit",
    cell: ({ report: { dataResult } }, paint) => paint(dataResult.exitCode === 0 ? "green" : "red", `${dataResult.exitCode}`),
    align: "right"
  },
  { head: "credits", cell: ({ report }, paint) => paint("bold", amountText(report.cost.total)), align: "right" },
  { head: "ms", cell: ({ report }) => `${report.durationMs}`, align: "right" }
]

const documentOf = ({ position, report }: PlacedReport) => ({
  sequence: position.sequence,
  id: report.id,
  drId: report.dataResult.drId,
  executedAt: momentText(report.executedAtMs),
  source: report.source,
  execProgramId: report.dataRequest.execProgramId,
  tallyProgramId: report.dataRequest.tallyProgramId,
  exitCode: report.dataResult.exitCode,
  gasUsed: report.dataResult.gasUsed,
  creditsUsed: report.cost.total,
  durationMs: report.durationMs
})

const mostRuns = 100

/** Lists a page of a project's runs, newest first. */
export const listRuns = (projectId: string, amount: number, before: Option.Option<number>) =>
  Effect.gen(function* () {
    if (amount < 1 || amount > mostRuns) return yield* refusedValue("--amount", `from 1 to ${mostRuns}`, `${amount}`)
    const beforeSequence = Option.getOrUndefined(before)
    if (beforeSequence !== undefined && beforeSequence < 1) return yield* refusedValue("--before", "1 or more", `${beforeSequence}`)
    const page = beforeSequence === undefined ? { projectId, amount } : { projectId, amount, beforeSequence }
    const found = yield* Effect.flatMap(Accounts, (accounts) => accounts.runs(page))
    const next = found.length === amount ? (found.at(-1)?.position.sequence ?? null) : null
    const answer: Answer = {
      document: { projectId, runs: found.map(documentOf), nextBefore: next },
      lines: (paint) => [
        ...table(found, columns, "no runs yet", paint),
        ...(next === null ? [] : [paint("dim", `older ones: --before ${next}`)])
      ]
    }
    return answer
  })
