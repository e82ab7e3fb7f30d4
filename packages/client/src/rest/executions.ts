/** Runs, quotes, stored results and reports over HTTP. */
import type { ExecuteResponse, QuoteResponse, ReportsPage } from "../contract/records.ts"
import type { ExecuteRequest, LastResultRequest, ReportsRequest } from "../contract/requests.ts"
import { UnexpectedAnswer } from "../errors/clientError.ts"
import { membersOf } from "../contract/json.ts"
import { checkedNames, checkObject, type NamesOf } from "../ground/checkedNames.ts"
import { type Executed, readResult, type ResultSchema } from "../ground/resultSchema.ts"
import { type Call, type Caller, callService } from "./call.ts"
import {
  type CallOptions,
  checkedCallOptions,
  checkedExecuteOptions,
  checkedResultOptions,
  type ExecuteOptions,
  type ResultOptions
} from "./callOptions.ts"

/** The encoding that is asked for. */
export const encodingOf = (request: ExecuteRequest, schema: ResultSchema<unknown> | undefined): ExecuteRequest["encoding"] =>
  request.encoding ?? (schema === undefined ? undefined : "json")

/** Inputs go into the body; the rest into the query, where the interface of every such service has it. */
const runCall = (path: string, { execInputs, execProgramId, tallyInputs, tallyProgramId, ...query }: LastResultRequest): Call => ({
  method: "POST",
  path,
  query,
  body: { execProgramId, execInputs, tallyProgramId, tallyInputs }
})

const answerOf = (body: unknown): ExecuteResponse => {
  if (membersOf(body)["_tag"] === "ExecuteResponse" && typeof membersOf(body)["data"] === "object") return body as ExecuteResponse
  throw new UnexpectedAnswer("an answer that is no execute response")
}

/** Runs a program. */
export const execute = async <R>(caller: Caller, request: ExecuteRequest, options: ExecuteOptions<R>): Promise<Executed<R>> => {
  checkObject("request", request)
  const { idempotencyKey = caller.platform.newId(), schema, signal } = checkedExecuteOptions(options)
  const call = runCall("/execute", { ...request, encoding: encodingOf(request, schema) })
  return readResult(answerOf(await callService(caller, { ...call, idempotencyKey, signal })), schema)
}

/** What a run would cost. */
export const quote = async (caller: Caller, request: ExecuteRequest, options: CallOptions): Promise<QuoteResponse["data"]> => {
  checkObject("request", request)
  const { signal } = checkedCallOptions(options)
  const call = runCall("/execute", request)
  const body = await callService(caller, { ...call, query: { ...call.query, dryRun: true }, signal })
  // A service that knows no dry runs would have run the program.
  if (membersOf(body)["_tag"] !== "QuoteResponse") throw new UnexpectedAnswer("the service answered no quote")
  return (body as QuoteResponse).data
}

/** The last stored result. */
export const lastResult = async <R>(caller: Caller, request: LastResultRequest, options: ResultOptions<R>): Promise<Executed<R>> => {
  checkObject("request", request)
  const { schema, signal } = checkedResultOptions(options)
  const call = runCall("/execute/last-result", { ...request, encoding: encodingOf(request, schema) })
  return readResult(answerOf(await callService(caller, { ...call, signal })), schema)
}

const reportsNames: NamesOf<Required<ReportsRequest>> = {
  drId: true,
  startDate: true,
  endDate: true,
  amount: true,
  nextPageId: true
}

/** The pages of past runs, newest first; each is asked for when the loop comes to it. */
export async function* reports(caller: Caller, request: ReportsRequest, options: CallOptions): AsyncGenerator<ReportsPage, void, void> {
  checkedNames<ReportsRequest>("request", request, reportsNames)
  const { signal } = checkedCallOptions(options)
  let { nextPageId } = request
  do {
    const query = { ...request, nextPageId }
    const page = (await callService(caller, { method: "GET", path: "/data-request-reports", query, signal })) as ReportsPage
    yield page
    nextPageId = page.nextPageId ?? undefined
  } while (nextPageId !== undefined)
}
