/** One program, as `GET /programs/{program}` answers it. */
import { Effect } from "effect"
import { InvalidParameter, type OutsideTicket, type ProgramNotAllowed, type ProgramNotFound } from "../../contract/errors.ts"
import { plainReference, programReferenceForm, programReferenceRule } from "../../contract/programName.ts"
import type { ProgramRecord } from "../../contract/programRecords.ts"
import { isoOf } from "../../domain/encoding/isoText.ts"
import type { ResolvedPrincipal } from "../../domain/accounts/project.ts"
import { namesInForce } from "../../domain/programs/programName.ts"
import type { ExecutionReport } from "../../domain/reports/executionReport.ts"
import { ProgramNames } from "../../ports/programNames.ts"
import { ProgramRuntime } from "../../ports/programRuntime.ts"
import { ResultStore } from "../../ports/resultStore.ts"
import { Execution } from "../../services/execution.ts"

/** How many of the project's runs are looked at, and how many of them are shown. */
const [lookedAt, shown] = [100, 10]

const lastRunOf = (report: ExecutionReport): (typeof ProgramRecord.Type)["lastRuns"][number] => ({
  id: report.id,
  drId: report.dataResult.drId,
  executedAt: isoOf(report.executedAtMs),
  source: report.source,
  exitCode: report.dataResult.exitCode,
  gasUsed: { exec: String(report.execute.gasUsed), tally: String(report.tally?.gasUsed ?? 0n) },
  creditsUsed: String(report.cost.total),
  durationMs: report.durationMs
})

/** What programs are looked up with. */
export type ProgramViewServices = Execution | ProgramNames | ProgramRuntime | ResultStore

/** The program, by its id or a name; `asked` is the raw path parameter. */
export const programRecordOf = (
  { project }: ResolvedPrincipal,
  asked: string
): Effect.Effect<typeof ProgramRecord.Type, InvalidParameter | OutsideTicket | ProgramNotAllowed | ProgramNotFound, ProgramViewServices> =>
  Effect.gen(function* () {
    // Neither ids nor names need percent-encoding.
    if (!programReferenceForm.test(asked)) return yield* InvalidParameter.because("program", programReferenceRule)
    const { bytes, programId } = yield* (yield* Execution).program(project, plainReference(asked))
    const findings = yield* (
      (yield* ProgramRuntime).findings?.({ programId, program: bytes, limits: project.limits }) ?? Effect.succeed(null)
    )
    const reports = yield* (yield* ResultStore).newest(project.projectId, lookedAt)
    const names = yield* (yield* ProgramNames).list(project.projectId)
    const ran = ({ dataRequest }: ExecutionReport): boolean => [dataRequest.execProgramId, dataRequest.tallyProgramId].includes(programId)
    return {
      programId,
      names: namesInForce(names).flatMap((named) => (named.programId === programId ? [named.name] : [])),
      sizeBytes: bytes.length,
      findings,
      lastRuns: reports.filter(ran).slice(0, shown).map(lastRunOf)
    }
  })
