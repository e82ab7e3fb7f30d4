/** One line of the log for each run; of feeds for some of them, with counts. */
import { Clock, Context, Effect, Layer } from "effect"
import { RecentMap } from "../../domain/encoding/recentMap.ts"
import type { ExecutionReport } from "../../domain/reports/executionReport.ts"
import { type SampledRuns, sampleRun } from "../../domain/runs/sampledRuns.ts"
import { AccessLog, type LineFiber, type LineFields, writeLine } from "./accessLog.ts"

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

/** The limits that its phases reached, with their values; empty if none. */
const limitsOf = ({ execute, tally }: ExecutionReport): string =>
  execute.limits === undefined && tally?.limits === undefined
    ? ""
    : [execute, tally]
        .flatMap((phase, at) =>
          (phase?.limits ?? []).map(
            ({ allowed, limit }) => `${at === 0 ? "execute" : "tally"} ${limit}${allowed === null ? "" : ` ${allowed}`}`
          )
        )
        .join(", ")

/** The text of an engine may hold names that a program chose. */
const longestReason = 200

/** Why the VM ended a phase; empty if its program ended by itself. */
const reasonOf = ({ execute, tally }: ExecutionReport): string => {
  const [phase, reason] = execute.reason === undefined ? (["tally", tally?.reason] as const) : (["execute", execute.reason] as const)
  return reason === undefined ? "" : `${phase} ${reason.slice(0, longestReason)}`
}

const fieldsOf = ({ id, outcome, programId, projectId, report, source }: LoggedRun): LineFields => {
  // Whole in one literal: members that are added after a spread cost ten times as much on V8.
  if (report === undefined) return { run_id: id, project_id: projectId, program_id: programId, source, outcome }
  const fields = {
    run_id: id,
    project_id: projectId,
    program_id: programId,
    source,
    outcome,
    exit_code: report.dataResult.exitCode,
    gas: String(report.dataResult.gasUsed),
    credits: String(report.cost.total),
    ms: report.durationMs
  }
  const limits = limitsOf(report)
  const reason = reasonOf(report)
  return limits === "" && reason === "" ? fields : { ...fields, ...(limits === "" ? {} : { limits }), ...(reason === "" ? {} : { reason }) }
}

/** Logs runs that have ended. */
export class RunLog extends Context.Tag("@sibyl/core/RunLog")<
  RunLog,
  {
    readonly isOn: boolean
    /** Answers what is left to do in the fiber, if anything. */
    readonly ended: (run: LoggedRun, fiber: LineFiber) => Effect.Effect<void> | undefined
  }
>() {
  /** Logs nothing where nobody wants it. */
  static readonly layer = Layer.effect(
    RunLog,
    Effect.gen(function* () {
      const { isOn, write } = yield* AccessLog
      if (!isOn) return { isOn, ended: () => undefined }
      const feeds = new RecentMap<SampledRuns>(feedsKept)
      const log = (run: LoggedRun, fiber: LineFiber, counts?: LineFields) => {
        const fields = fieldsOf(run)
        return writeLine(write, { part: "runs", message: "run", fields: counts === undefined ? fields : { ...fields, ...counts } }, fiber)
      }
      const sampled = (run: LoggedRun, fiber: LineFiber) => {
        const nanos = Context.unsafeGet(fiber.currentDefaultServices, Clock.Clock).unsafeCurrentTimeNanos()
        const feed = `${run.projectId}/${run.programId}`
        const { line, next } = sampleRun(feeds.get(feed), run.outcome !== "success", Number(nanos) / 1e6)
        feeds.set(feed, next)
        return line === undefined ? undefined : log(run, fiber, line)
      }
      return { isOn, ended: (run, fiber) => (run.source === "feed" ? sampled(run, fiber) : log(run, fiber)) }
    })
  )
}
