/** What `GET /data-request-reports` answers: a project's own runs of one drId, newest first, page by page (decision D11). */
import { Either, Effect } from "effect"
import { type Failure, InvalidParameter } from "../../contract/errors.ts"
import { hexIdRule, readHexId } from "../../contract/hexId.ts"
import { amountRule, cursorRule, dateRule, lostPlusRule, reportParameters, secondsRule } from "../../contract/reportParams.ts"
import { isoOf } from "../../domain/encoding/isoText.ts"
import { type DateSpan, hasLostPlus, isInSeconds, readDate } from "../../domain/encoding/dateRange.ts"
import type { ExecutionReport } from "../../domain/reports/executionReport.ts"
import type { ResolvedPrincipal } from "../../domain/accounts/project.ts"
import { readCursor, writeCursor } from "../../domain/reports/reportCursor.ts"
import { writeResponse } from "../../domain/encoding/responseJson.ts"
import type { ReportQuery } from "../../ports/resultStore.ts"
import { outsideTicketOf } from "../../services/programs/allowList.ts"
import { History } from "../../services/history.ts"
import { Options, type PayloadField } from "../../services/settings/serviceOptions.ts"
import type { Call, Reply } from "./call.ts"
import { dataRequestView, dataResultView } from "../execution/executionView.ts"
import { misspelledIn } from "../execution/misspelled.ts"
import { givenTwice, readQuery } from "../execution/query.ts"
import type { Members } from "../../domain/encoding/responseJson.ts"

/** The services that reading reports needs. */
export type ReportsServices = History | Options

type Read<A> = Either.Either<A, InvalidParameter>
type Query = ReadonlyMap<string, string>

const defaultAmount = 25

const readAmount = (text: string | undefined): Read<number> => {
  const amount = text === undefined ? defaultAmount : /^[0-9]{1,3}$/.test(text) ? Number(text) : Number.NaN
  return amount >= 1 && amount <= 100 ? Either.right(amount) : Either.left(InvalidParameter.because("amount", amountRule))
}

const readBound = (query: Query, name: "startDate" | "endDate"): Read<DateSpan | undefined> => {
  const text = query.get(name)
  if (text === undefined) return Either.right(undefined)
  const span = readDate(text)
  if (span !== undefined) return Either.right(span)
  const rule = isInSeconds(text) ? secondsRule(text) : hasLostPlus(text) ? lostPlusRule : dateRule
  return Either.left(InvalidParameter.because(name, rule))
}

const readPlace = (query: Query, projectId: string, drId: string): Read<ReportQuery["before"]> => {
  const cursor = query.get("nextPageId")
  if (cursor === undefined) return Either.right(undefined)
  const place = readCursor(cursor, { projectId, drId })
  return place === undefined ? Either.left(InvalidParameter.because("nextPageId", cursorRule)) : Either.right(place)
}

/** One value per name; a repeated name with a different value is refused. */
const single = ([query = new Map(), ...others]: ReadonlyArray<Query>): Read<Query> => {
  const [twice] = others.flatMap((other) => [...other.keys()])
  return twice === undefined ? Either.right(query) : Either.left(givenTwice(twice))
}

const readReportQuery = (text: string, projectId: string): Read<ReportQuery> =>
  Either.gen(function* () {
    const query = yield* single(yield* readQuery(text, (name) => reportParameters.some((known) => known === name)))
    const misspelled = misspelledIn(query.keys(), reportParameters)
    if (misspelled !== undefined) return yield* Either.left(misspelled)
    const drId = query.get("drId")
    if (drId === undefined) return yield* Either.left(InvalidParameter.because("drId", "is required"))
    const id = readHexId(drId)
    if (id === undefined) {
      return yield* Either.left(InvalidParameter.because("drId", hexIdRule))
    }
    const amount = yield* readAmount(query.get("amount"))
    const start = yield* readBound(query, "startDate")
    const end = yield* readBound(query, "endDate")
    const before = yield* readPlace(query, projectId, id)
    // The day before the start ends where the start is.
    const lastMs = end === undefined || end.fromMs === end.toMs ? end?.toMs : end.toMs - 1
    if (start !== undefined && lastMs !== undefined && lastMs < start.fromMs) {
      return yield* Either.left(InvalidParameter.because("endDate", "must not be before startDate"))
    }
    return {
      projectId,
      drId: id,
      amount,
      ...(start === undefined ? {} : { startMs: start.fromMs }),
      ...(end === undefined ? {} : { endMs: end.toMs }),
      ...(before === undefined ? {} : { before })
    }
  })

const entryOf = (report: ExecutionReport, payloadField: PayloadField): Members => ({
  id: report.id,
  drId: report.dataResult.drId,
  executedAt: isoOf(report.executedAtMs),
  source: report.source,
  exitCode: report.dataResult.exitCode,
  gasUsed: String(report.dataResult.gasUsed),
  creditsUsed: String(report.cost.total),
  dataRequest: dataRequestView(report),
  dataResult: dataResultView(report, payloadField),
  signature: report.signature
})

/** Only the caller's own project is searched, and a ticket reads runs of its programs only; an unknown drId gives an empty page. */
export const reportsHandler = (call: Call, { project }: ResolvedPrincipal): Effect.Effect<Reply, Failure, ReportsServices> =>
  Effect.gen(function* () {
    const query = yield* readReportQuery(call.query, project.projectId)
    const { payloadField } = yield* Options
    const { hasMore, reports } = yield* (yield* History).page(query)
    const last = reports.at(-1)
    // All have the programs of the one data request.
    const outside = last === undefined ? undefined : outsideTicketOf(project, last.report.dataRequest)
    if (outside !== undefined) return yield* outside
    const body = {
      data: reports.map(({ report }) => entryOf(report, payloadField)),
      nextPageId: hasMore && last !== undefined ? writeCursor(last.position, query) : null
    }
    return { status: 200, body: writeResponse(body) }
  })
