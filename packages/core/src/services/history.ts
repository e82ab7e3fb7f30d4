/** Stored runs: the last result of a request and the reports of a data request, of the caller's own project only. */
import { Context, Effect, Layer, Option } from "effect"
import { LastResultNotFound, type OutsideTicket, type ProgramNotAllowed, type ProgramNotFound } from "../contract/errors.ts"
import type { Project } from "../domain/accounts/project.ts"
import { Ledger } from "../ports/ledger.ts"
import { ProgramNames } from "../ports/programNames.ts"
import { type LastResultMode, type PlacedReport, type ReportQuery, ResultStore } from "../ports/resultStore.ts"
import { checkAllowed } from "./programs/allowList.ts"
import type { AnsweredRun } from "./execution.ts"
import { type AskedKey, resolvePrograms } from "./programs/programReferences.ts"
import { ResultAges } from "./phases/resultAges.ts"

/** One page of reports and whether more follow. */
export interface ReportPage {
  readonly reports: ReadonlyArray<PlacedReport>
  readonly hasMore: boolean
}

/** Answers from what is stored; nothing runs and nothing is charged. */
export class History extends Context.Tag("@sibyl/core/History")<
  History,
  {
    /** The newest stored run of a request, including failed ones unless only successes are asked for (decision D14). */
    readonly last: (
      project: Project,
      key: AskedKey,
      mode: LastResultMode
    ) => Effect.Effect<AnsweredRun, LastResultNotFound | OutsideTicket | ProgramNotAllowed | ProgramNotFound>
    /** The newest reports first; at most `query.amount`. */
    readonly page: (query: ReportQuery) => Effect.Effect<ReportPage>
  }
>() {
  /** Over the stores. */
  static readonly layer = Layer.effect(
    History,
    Effect.gen(function* () {
      const names = yield* ProgramNames
      const results = yield* ResultStore
      const ledger = yield* Ledger
      const ages = yield* ResultAges
      return {
        last: Effect.fn("History.last")(function* (project, asked, mode) {
          const key = yield* resolvePrograms(names, project, asked)
          yield* checkAllowed(project, key)
          const found = yield* results.last(project.projectId, key, mode)
          if (Option.isNone(found)) {
            const what = mode === "success" ? "successful result" : "result"
            return yield* new LastResultNotFound({ message: `no ${what} of this request is stored`, details: { mode } })
          }
          const report = found.value
          const cachedAgeMs = yield* ages.ageMs(report)
          return { report, balance: yield* ledger.balance(project), cachedAgeMs }
        }),
        // One more than asked for, to know whether there is a next page.
        page: (query) =>
          Effect.map(results.page({ ...query, amount: query.amount + 1 }), (reports) => ({
            reports: reports.slice(0, query.amount),
            hasMore: reports.length > query.amount
          }))
      }
    })
  )
}
