/** For tests: programs as a user writes them against generated clients. Each takes an address, a key and ids of programs, and prints JSON. */

/** With `openapi-fetch` and the types of `openapi-typescript`: one run, one quote, one refusal. */
const withOpenApiFetch = `
import createClient from "openapi-fetch"
import type { components, paths } from "./schema.ts"

const [baseUrl = "", key = "", execProgramId = ""] = process.argv.slice(2)
const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${key}\` } })

const run = await client.POST("/execute", { body: { execProgramId, execInputs: { sum: [1, "two"] }, encoding: "json", includeSummary: true } })
if (run.data?._tag !== "ExecuteResponse") throw new Error(JSON.stringify(run))
const { dataResult, result, summary }: components["schemas"]["ExecuteData"] = run.data.data
const exitCode: number = dataResult.exitCode
const creditsUsed: string | undefined = summary?.creditsUsed

const quote = await client.GET("/execute", { params: { query: { execProgramId, dryRun: true } } })
if (quote.data?._tag !== "QuoteResponse") throw new Error(JSON.stringify(quote))
const affordable: boolean = quote.data.data.quote.affordable

const unknown = await client.GET("/execute", { params: { query: { execProgramId: "0".repeat(64) } } })
if (unknown.error?._tag !== "ProgramNotFound") throw new Error(JSON.stringify(unknown))
const { requestId }: components["schemas"]["ProgramNotFound"] = unknown.error

console.log(JSON.stringify({ result, exitCode, creditsUsed, affordable, requestId }))

export const refused = () => [
  // @ts-expect-error: the program is required
  client.GET("/execute", { params: { query: {} } }),
  // @ts-expect-error: no such encoding
  client.POST("/execute", { body: { execProgramId, encoding: "base32" } }),
  // @ts-expect-error: an input is a text, an object or a list
  client.POST("/execute", { body: { execProgramId, execInputs: 7 } })
]
`

/** With the functions that `@hey-api/openapi-ts` makes: who we are, and a program that fails. */
const withHeyApi = `
import { accountVerify, executionsExecuteWithBody } from "./sdk/index.ts"
import { client } from "./sdk/client.gen.ts"
import type { FailedExecutionResponse, Verify } from "./sdk/types.gen.ts"

const [baseUrl = "", auth = "", execProgramId = ""] = process.argv.slice(2)
client.setConfig({ baseUrl, auth })

const { data: owner } = await accountVerify({ throwOnError: true })
const { organizationSlug }: Verify = owner
const run = await executionsExecuteWithBody({ body: { execProgramId, includeDebugInfo: true }, headers: { "idempotency-key": "once" } })
if (run.error?._tag !== "FailedExecutionResponse") throw new Error(JSON.stringify(run))
const { data, message }: FailedExecutionResponse = run.error
console.log(JSON.stringify({ organizationSlug, status: run.response?.status, message, stderr: data.execute?.stderr }))

// @ts-expect-error: the body is required
export const refused = () => executionsExecuteWithBody({})
`

/** Over WebSocket with the types of the AsyncAPI document: one run, a feed until its third result, and a refusal. */
const withMessages = `
import { WebSocket } from "ws"
import type {
  Authorized, ErrorReply, ExecuteReply, ExecuteRequest, FeedEnded, FeedGap, FeedResult, FeedStartReply, FeedStartRequest, FeedStopReply, FeedStopRequest
} from "./messages.ts"

type Reply = ExecuteReply | FeedStartReply | FeedStopReply | ErrorReply
type Notification = Authorized | FeedResult | FeedGap | FeedEnded
const send = (request: ExecuteRequest | FeedStartRequest | FeedStopRequest) => socket.send(JSON.stringify(request))

const [url = "", key = "", execProgramId = ""] = process.argv.slice(2)
const seen: Array<unknown> = []
const socket = new WebSocket(url.replace("http", "ws") + "/ws/v1", { headers: { authorization: \`Bearer \${key}\` } })
socket.on("error", (cause) => { throw cause })
socket.on("message", (frame) => {
  const message: Reply | Notification = JSON.parse(frame.toString())
  if ("method" in message) notified(message)
  else answered(message)
})

const notified = (notification: Notification) => {
  switch (notification.method) {
    case "authorized":
      seen.push(notification.params.organizationSlug)
      return send({ jsonrpc: "2.0", id: "run", method: "feed.execute", params: { execProgramId, execInputs: ["once"], encoding: "json" } })
    case "feed.result": {
      const { feedId, result, seq } = notification.params
      seen.push(result?.data.result)
      if (seq === 2) send({ jsonrpc: "2.0", id: "stop", method: "feed.stop", params: { feedId } })
    }
  }
}

const answered = (reply: Reply) => {
  if ("error" in reply) {
    seen.push(reply.error._tag)
    console.log(JSON.stringify(seen))
    return socket.close()
  }
  if (reply.id === "stop") return send({ jsonrpc: "2.0", id: "again", method: "feed.stop", params: { feedId: "none" } })
  if (!("_tag" in reply.result)) return
  if (reply.result._tag === "QuoteResponse") throw new Error("nobody asked for a quote")
  seen.push(reply.result.data.result)
  const execute = { execProgramId, execInputs: "0x01", includeSummary: true } as const
  send({ jsonrpc: "2.0", id: "start", method: "feed.start", params: { mode: "SEQUENTIAL", periodicityMs: 10, execute } })
}

export const refused: ReadonlyArray<FeedStartRequest["params"]> = [
  // @ts-expect-error: no such mode
  { mode: "SOMETIMES", periodicityMs: 10, execute: { execProgramId } },
  // @ts-expect-error: the period is a number
  { mode: "FIXED", periodicityMs: "10", execute: { execProgramId } }
]
`

/** The programs by the names of their files. */
export const clientPrograms = { "fetch.ts": withOpenApiFetch, "sdk.ts": withHeyApi, "socket.ts": withMessages } as const
