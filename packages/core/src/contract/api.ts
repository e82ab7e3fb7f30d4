/** The REST contract as one value, from which the OpenAPI document, the routes, the typed client and the audits are derived. */
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as HttpApiSecurity from "@effect/platform/HttpApiSecurity"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import * as Errors from "./errors.ts"
import { ExecuteBody, ExecutePostQuery, ExecuteQuery, LastResultBody, LastResultPostQuery, LastResultQuery } from "./executeParams.ts"
import { namesOfKeys } from "./keyEndpoints.ts"
import { recordingOfRun, reportsOfRequest } from "./pastRunEndpoints.ts"
import { namesOfPrograms, oneProgram } from "./programEndpoints.ts"
import * as Records from "./records.ts"
import { DurableFeedBody } from "./rpc.ts"
import { TicketAnswer, TicketBody } from "./tickets.ts"

/** The version of this contract; the same in `GET /info` and in the OpenAPI document. */
export const apiVersion = "1.0.0"

/** The bearer key: a tag for the document and the route table. The edge itself checks the key. */
export class BearerKey extends HttpApiMiddleware.Tag<BearerKey>()("@sibyl/core/BearerKey", {
  failure: Schema.Union(Errors.Unauthorized.wire, Errors.OutsideTicket.wire),
  security: { bearer: HttpApiSecurity.bearer }
}) {}

/** With its identifier again, which an annotation takes away: generated clients name it by that. */
const FailedExecution = Records.FailedExecutionResponse.annotations({
  ...HttpApiSchema.annotations({ status: 599 }),
  identifier: "FailedExecutionResponse"
})

const executeDescription =
  "Runs the execution phase and the tally phase of an Oracle Program and returns the signed result. " +
  "Status 599: the request was valid, but the program ended with a non-zero exit code. " +
  "With dryRun nothing runs and nothing is charged: the response states what a run would cost."

const retryDescription =
  "1 to 255 visible ASCII characters: the first answer (200 or 599) is kept for 24 hours and " +
  "repeated, with the header idempotency-replayed, for every request with the same key. The program ran and was " +
  "charged once."

/** The headers of an execution that can be retried without running twice (decision D34). */
const RetryHeaders = Schema.Struct({
  "idempotency-key": Schema.optional(Schema.String.annotations({ description: retryDescription }))
})

const get = HttpApiEndpoint.get("execute", "/execute")
  .annotate(OpenApi.Summary, "Run a program")
  .annotate(OpenApi.Description, executeDescription)
  .setUrlParams(ExecuteQuery)
  .addSuccess(Records.ExecuteResponse)
  .addSuccess(Records.QuoteResponse)
  .addError(FailedExecution)
  .addError(Errors.InvalidParameter.wire)
  .addError(Errors.ProgramNotAllowed.wire)
  .addError(Errors.InsufficientCredits.wire)
  .addError(Errors.ProgramNotFound.wire)
  .addError(Errors.CreditLimitExceeded.wire)

const post = HttpApiEndpoint.post("executeWithBody", "/execute")
  .annotate(OpenApi.Summary, "Run a program, with a JSON body")
  .annotate(OpenApi.Description, executeDescription)
  .setUrlParams(ExecutePostQuery)
  .setPayload(ExecuteBody)
  .setHeaders(RetryHeaders)
  .addSuccess(Records.ExecuteResponse)
  .addSuccess(Records.QuoteResponse)
  .addError(FailedExecution)
  .addError(Errors.InvalidParameter.wire)
  .addError(Errors.InvalidRequest.wire)
  .addError(Errors.ProgramNotAllowed.wire)
  .addError(Errors.InsufficientCredits.wire)
  .addError(Errors.ProgramNotFound.wire)
  .addError(Errors.RequestTimeout.wire)
  .addError(Errors.PayloadTooLarge.wire)
  .addError(Errors.UnsupportedMediaType.wire)
  .addError(Errors.IdempotencyKeyReused.wire)
  .addError(Errors.CreditLimitExceeded.wire)

const lastResultDescription =
  "Returns the last stored result of this request as it was signed, without running anything and " +
  "without charge: of the run that ended last. The header age says how old the result is. Parameters that " +
  "concern a run (returnLastResult, returnLastResultMaxAge, injectLastResult, noPrefetch, includeRecording, dryRun) are checked and change " +
  "nothing. Status 599: the stored run ended with a non-zero exit code."

const getLast = HttpApiEndpoint.get("lastResult", "/execute/last-result")
  .annotate(OpenApi.Summary, "The last stored result of a request")
  .annotate(OpenApi.Description, lastResultDescription)
  .setUrlParams(LastResultQuery)
  .addSuccess(Records.ExecuteResponse)
  .addError(FailedExecution)
  .addError(Errors.InvalidParameter.wire)
  .addError(Errors.ProgramNotAllowed.wire)
  .addError(Errors.ProgramNotFound.wire)
  .addError(Errors.LastResultNotFound.wire)

const postLast = HttpApiEndpoint.post("lastResultWithBody", "/execute/last-result")
  .annotate(OpenApi.Summary, "The last stored result of a request, with a JSON body")
  .annotate(OpenApi.Description, lastResultDescription)
  .setUrlParams(LastResultPostQuery)
  .setPayload(LastResultBody)
  .addSuccess(Records.ExecuteResponse)
  .addError(FailedExecution)
  .addError(Errors.InvalidParameter.wire)
  .addError(Errors.InvalidRequest.wire)
  .addError(Errors.ProgramNotAllowed.wire)
  .addError(Errors.ProgramNotFound.wire)
  .addError(Errors.LastResultNotFound.wire)
  .addError(Errors.RequestTimeout.wire)
  .addError(Errors.PayloadTooLarge.wire)
  .addError(Errors.UnsupportedMediaType.wire)

const executions = HttpApiGroup.make("executions")
  .add(get)
  .add(post)
  .add(getLast)
  .add(postLast)
  .add(reportsOfRequest)
  .add(recordingOfRun)
  .middleware(BearerKey)

const feedIdParameter = HttpApiSchema.param("feed_id", Schema.String.annotations({ description: "the id that POST /feeds returned" }))

const createFeedDescription =
  "Adds a feed that runs whether or not anybody is connected, until it is removed. Every tick is an ordinary run, " +
  "charged to the project. Its results are followed over WebSocket with feed.follow."

const feeds = HttpApiGroup.make("feeds")
  .add(
    HttpApiEndpoint.post("createFeed", "/feeds")
      .annotate(OpenApi.Summary, "Add a durable feed")
      .annotate(OpenApi.Description, createFeedDescription)
      .setPayload(DurableFeedBody)
      .addSuccess(Records.DurableFeedRecord, { status: 201 })
      .addError(Errors.InvalidParameter.wire)
      .addError(Errors.InvalidRequest.wire)
      .addError(Errors.ProgramNotAllowed.wire)
      .addError(Errors.ProgramNotFound.wire)
      .addError(Errors.RequestTimeout.wire)
      .addError(Errors.PayloadTooLarge.wire)
      .addError(Errors.UnsupportedMediaType.wire)
      .addError(Errors.FeedLimit.wire)
  )
  .add(
    HttpApiEndpoint.get("feeds", "/feeds")
      .annotate(OpenApi.Summary, "The durable feeds of the project")
      .annotate(OpenApi.Description, "All durable feeds of the project, oldest first.")
      .addSuccess(Records.DurableFeedsRecord)
  )
  .add(
    HttpApiEndpoint.get("feed")`/feeds/${feedIdParameter}`
      .annotate(OpenApi.Summary, "A durable feed and how it goes")
      .annotate(OpenApi.Description, "What it runs, its last run, its last failure, and when the next run is due.")
      .addSuccess(Records.DurableFeedStateRecord)
      .addError(Errors.FeedNotFound.wire)
  )
  .add(
    HttpApiEndpoint.del("removeFeed")`/feeds/${feedIdParameter}`
      .annotate(OpenApi.Summary, "Remove a durable feed")
      .annotate(OpenApi.Description, "No run starts any more; one that is in flight ends and is charged. Its reports stay.")
      .addSuccess(Records.RemovedFeedRecord)
      .addError(Errors.FeedNotFound.wire)
  )
  .middleware(BearerKey)

const account = HttpApiGroup.make("account")
  .add(
    HttpApiEndpoint.get("verify", "/verify")
      .annotate(OpenApi.Summary, "Check a key and its project")
      .annotate(OpenApi.Description, "Checks the key and returns its project, its expiry and the current credits.")
      .addSuccess(Records.VerifyRecord)
  )
  .add(
    HttpApiEndpoint.get("project", "/project")
      .annotate(OpenApi.Summary, "Credits, limits and allow-list of the project")
      .annotate(OpenApi.Description, "What the project may do and spend. Credits and gas are decimal strings; null: no limit.")
      .addSuccess(Records.ProjectRecord)
  )
  .add(namesOfPrograms)
  .add(oneProgram)
  .add(namesOfKeys)
  .middleware(BearerKey)

const createTicketDescription =
  "Makes a short-lived ticket, with which a browser gets in without the key: as a Bearer, or as a WebSocket subprotocol. It ends with its " +
  "key. Its text is shown once; keep it out of URLs. A ticket cannot make tickets."

const tickets = HttpApiGroup.make("tickets")
  .add(
    HttpApiEndpoint.post("createTicket", "/tickets")
      .annotate(OpenApi.Summary, "Make a ticket for a browser")
      .annotate(OpenApi.Description, createTicketDescription)
      .setPayload(TicketBody)
      .addSuccess(TicketAnswer, { status: 201 })
      .addError(Errors.InvalidParameter.wire)
      .addError(Errors.InvalidRequest.wire)
      .addError(Errors.ProgramNotAllowed.wire)
      .addError(Errors.ProgramNotFound.wire)
      .addError(Errors.RequestTimeout.wire)
      .addError(Errors.PayloadTooLarge.wire)
      .addError(Errors.UnsupportedMediaType.wire)
      .addError(Errors.TicketLimit.wire)
  )
  .middleware(BearerKey)

const proxyKeyParameter = HttpApiSchema.param(
  "public_key",
  Schema.String.annotations({ description: "secp256k1 public key, 33 or 65 bytes in hex, with or without 0x" })
)

const readyDescription =
  "Whether this server can accept runs now: its database, its workers and its signer are checked " +
  "within a second; 503 names what has failed. Needs no key. For load balancers; " +
  "GET /health only shows that the process is alive."

const service = HttpApiGroup.make("service")
  .add(
    HttpApiEndpoint.get("info", "/info")
      .annotate(OpenApi.Summary, "Public key, versions and network")
      .annotate(OpenApi.Description, "The public key under which every signature of this service can be verified. Needs no key.")
      .addSuccess(Records.InfoRecord)
  )
  .add(
    HttpApiEndpoint.get("ready", "/ready")
      .annotate(OpenApi.Summary, "Whether the service is ready for runs")
      .annotate(OpenApi.Description, readyDescription)
      .addSuccess(Records.ReadyRecord)
      .addError(Records.ReadyRecord.annotations({ ...HttpApiSchema.annotations({ status: 503 }), identifier: "NotReady" }))
  )
  .add(
    HttpApiEndpoint.get("health", "/health")
      .annotate(OpenApi.Summary, "Whether the service is up")
      .annotate(
        OpenApi.Description,
        "200 while the service accepts requests, 503 while it finishes its runs before it stops. Needs no key."
      )
      .addSuccess(Records.HealthRecord)
      .addError(Records.HealthRecord.annotations({ ...HttpApiSchema.annotations({ status: 503 }), identifier: "Draining" }))
  )

const dataProxies = HttpApiGroup.make("dataProxies").add(
  HttpApiEndpoint.get("dataProxy")`/data-proxy/${proxyKeyParameter}`
    .annotate(OpenApi.Summary, "Whether a data proxy is registered, and its fee")
    .annotate(OpenApi.Description, "What a call through a data proxy costs. Needs no key.")
    .addSuccess(Records.DataProxyRecord)
    .addError(Errors.InvalidParameter.wire)
)

/** The platform gives every arbitrary value a schema with this name, but a name may occur once per document. */
const unknownId = "/schemas/unknown"

/** The platform declares its own decoding error on every endpoint; the edge never sends it, so the document omits it. */
const withoutDecodeError = (spec: Record<string, unknown>): Record<string, unknown> => {
  const keep = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.filter((item) => !isDecodeErrorReference(item)).map(keep)
    if (typeof value !== "object" || value === null) return value
    const members = Object.entries(value).filter(
      ([name, member]) => !decodeErrorNames.includes(name) && !isDecodeErrorResponse(member) && member !== unknownId
    )
    return Object.fromEntries(members.map(([name, member]) => [name, keep(member)]))
  }
  return keep(spec) as Record<string, unknown>
}

const decodeErrorNames: ReadonlyArray<string> = ["HttpApiDecodeError", "Issue", "PropertyKey"]

const isDecodeErrorReference = (item: unknown): boolean =>
  typeof item === "object" &&
  item !== null &&
  "$ref" in item &&
  decodeErrorNames.some((name) => item.$ref === `#/components/schemas/${name}`)

/** An answer that can only be the decoding error is removed as a whole, or its reference would dangle. */
const isDecodeErrorResponse = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  "content" in value &&
  Object.values(value.content ?? {}).every((media: { readonly schema?: unknown }) => isDecodeErrorReference(media.schema))

/** The whole REST interface. */
export const Api = HttpApi.make("sibyl")
  .add(executions)
  .add(feeds)
  .add(account)
  .add(tickets)
  .add(service)
  .add(dataProxies)
  .addError(Errors.InternalError.wire)
  .addError(Errors.UriTooLong.wire)
  .addError(Errors.Overloaded.wire)
  .addError(Errors.Unavailable.wire)
  .annotate(OpenApi.Transform, withoutDecodeError)
  .annotate(OpenApi.Title, "Sibyl: Oracle Program execution")
  .annotate(OpenApi.Version, apiVersion)
  .annotate(OpenApi.Description, "Runs WebAssembly Oracle Programs in two gas-metered phases and signs what they found.")
