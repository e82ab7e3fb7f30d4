/** One line of the log for each run; of feeds for some of them, with counts. */
import { Clock, Context, Effect, Layer } from "effect"
import { RecentMap } from "../../domain/encoding/recentMap.ts"
import type { ExecutionReport } from "../../domain/reports/executionReport.ts"
import { type SampledRuns, sampleRun } from "../../domain/runs/sampledRuns.ts"
import { AccessLog, type LineFields, writeLine } from "./accessLog.ts"

/** Feeds whose runs are counted: those of a project with one program count as one. */
const feedsKept = 4_096

/** What a line tells of a run. */
export interface LoggedRun {
  readonly id: string
  readonly projectId: string
  readonly programId: string
  readonly source: ExecutionReport["source"]
  /** As the metrics have it. */
  readonly outcome: string
  readonly report: ExecutionReport | undefined
}

/** The limits that its phases reached, with their values. */
const limitsOf = ({ execute, tally }: ExecutionReport): { readonly limits?: string } => {
  if (execute.limits === undefined && tally?.limits === undefined) return {}
  const texts = [execute, tally].flatMap((phase, at) =>
    (phase?.limits ?? []).map(({ allowed, limit }) => `${at === 0 ? "execute" : "tally"} ${limit}${allowed === null ? "" : ` ${allowed}`}`)
  )
  return texts.length === 0 ? {} : { limits: texts.join(", ") }
}

const fieldsOf = ({ id, outcome, programId, projectId, report, source }: LoggedRun): LineFields => ({
  run_id: id,
  project_id: projectId,
  program_id: programId,
  source,
  outcome,
  ...(report === undefined
    ? {}
    : {
        exit_code: report.dataResult.exitCode,
        gas: String(report.dataResult.gasUsed),
        credits: String(report.cost.total),
        ms: report.durationMs,
        ...limitsOf(report)
      })
})

/** Logs runs that have ended. */
export class RunLog extends Context.Tag("@sibyl/core/RunLog")<
  RunLog,
  { readonly isOn: boolean; readonly ended: (run: LoggedRun) => Effect.Effect<void> }
>() {
  /** Logs nothing where nobody wants it. */
  static readonly layer = Layer.effect(
    RunLog,
    Effect.gen(function* () {
      const { isOn, write } = yield* AccessLog
      if (!isOn) return { isOn, ended: () => Effect.void }
      const feeds = new RecentMap<SampledRuns>(feedsKept)
      const log = (run: LoggedRun, counts: LineFields = {}) =>
        writeLine(write, { part: "runs", message: "run", fields: { ...fieldsOf(run), ...counts } })
      const sampled = (run: LoggedRun) =>
        Effect.flatMap(Clock.currentTimeNanos, (nanos) => {
          const feed = `${run.projectId}/${run.programId}`
          const { line, next } = sampleRun(feeds.get(feed), run.outcome !== "success", Number(nanos) / 1e6)
          feeds.set(feed, next)
          return line === undefined ? Effect.void : log(run, line)
        })
      return { isOn, ended: (run) => (run.source === "feed" ? sampled(run) : log(run)) }
    })
  )
}
