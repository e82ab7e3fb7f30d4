/** What each endpoint of the contract answers. */
import { Clock, Effect, Schema } from "effect"
import { apiVersion } from "../../contract/api.ts"
import { type Failure, UpgradeRequired } from "../../contract/errors.ts"
import { ProgramRecord, ProgramsRecord } from "../../contract/programRecords.ts"
import { KeysRecord } from "../../contract/keyEndpoints.ts"
import * as Records from "../../contract/records.ts"
import { TicketAnswer } from "../../contract/tickets.ts"
import { isoOf, isoOrNull } from "../../domain/encoding/isoText.ts"
import { type ResponseValue, writeResponse } from "../../domain/encoding/responseJson.ts"
import { remainingOf } from "../../domain/credits/balance.ts"
import type { Principal, ResolvedPrincipal } from "../../domain/accounts/project.ts"
import type { DataProxies } from "../../ports/dataProxies.ts"
import { Directory } from "../../ports/directory.ts"
import { Ledger } from "../../ports/ledger.ts"
import type { ProgramNames } from "../../ports/programNames.ts"
import type { ProgramStore } from "../../ports/programStore.ts"
import { Admission } from "../../services/admission/admission.ts"
import { Readiness } from "../../services/readiness.ts"
import { Options } from "../../services/settings/serviceOptions.ts"
import type { Signing } from "../../services/phases/signing.ts"
import type { Call, Reply } from "./call.ts"
import { dataProxyRecordOf } from "./dataProxyView.ts"
import { type DocumentName, Documents } from "../docs/documents.ts"
import { createTicket, type TicketRequestServices } from "../tickets/ticketRequests.ts"
import { createFeed, type FeedRequestServices, listFeeds, removeFeed, showFeed } from "../feeds/feedRequests.ts"
import { executeHandler, type ExecuteServices } from "./executeHandler.ts"
import { documentReply } from "./documentReply.ts"
import { readJsonBody } from "./jsonBody.ts"
import { lastResultHandler, type LastResultServices } from "./lastResultHandler.ts"
import { recordingText } from "./recordingView.ts"
import { programRecordOf, type ProgramViewServices } from "./programView.ts"
import { programsRecordOf } from "./programsView.ts"
import { reportsHandler, type ReportsServices } from "./reportsHandler.ts"
import { infoRecord } from "./infoView.ts"
import type { KeyedName, OpenName, Route } from "./routes.ts"
import { ticketScopesOf } from "./ticketScopes.ts"
import { Authorization } from "../access/authorization.ts"
import { verifyRecordOf } from "../access/verifyView.ts"

/** What handlers need. */
export type HandlerServices =
  | Admission
  | Authorization
  | DataProxies
  | Directory
  | Documents
  | ExecuteServices
  | FeedRequestServices
  | LastResultServices
  | Ledger
  | Options
  | ProgramNames
  | ProgramStore
  | ProgramViewServices
  | Readiness
  | ReportsServices
  | Signing
  | TicketRequestServices

type Handled = Effect.Effect<Reply, Failure, HandlerServices>

const ok = <A, I>(schema: Schema.Schema<A, I>, record: NoInfer<A>, status = 200): Effect.Effect<Reply> =>
  Effect.map(Effect.orDie(Schema.encode(schema)(record)), (encoded) => ({ status, body: JSON.stringify(encoded) }))

const verify = (principal: Principal): Handled => Effect.flatMap(verifyRecordOf(principal), (record) => ok(Records.VerifyRecord, record))

const project = ({ project: owner }: Principal): Handled =>
  Effect.gen(function* () {
    const balance = yield* (yield* Ledger).balance(owner)
    const { usageLimit } = owner
    return yield* ok(Records.ProjectRecord, {
      projectId: owner.projectId,
      organizationId: owner.organizationId,
      organizationSlug: owner.organizationSlug,
      credits: { remaining: String(remainingOf(balance)), used: String(balance.used), held: String(balance.held) },
      usageLimits:
        usageLimit === null ? null : { periodMs: usageLimit.periodMs, limit: String(usageLimit.credits), used: String(balance.periodUsed) },
      gasLimits: { exec: String(owner.gasLimits.exec), tally: String(owner.gasLimits.tally) },
      allowedPrograms: owner.allowedPrograms
    })
  })

const programs = ({ project: owner }: ResolvedPrincipal): Handled =>
  Effect.flatMap(programsRecordOf(owner), (record) => ok(ProgramsRecord, record))

const keys = ({ project: { projectId } }: Principal): Handled =>
  Effect.flatMap(Directory, (directory) =>
    Effect.flatMap(directory.keys(projectId), (listed) =>
      ok(KeysRecord, {
        data: listed.map(({ createdAtMs, expiresAtMs, name }) => ({
          name,
          createdAt: isoOf(createdAtMs),
          expiresAt: isoOrNull(expiresAtMs)
        }))
      })
    )
  )

const asJson =
  (status: number) =>
  (value: ResponseValue): Reply => ({ status, body: writeResponse(value) })

const addFeed = (call: Call, principal: ResolvedPrincipal): Handled =>
  readJsonBody(call.request, principal.project.limits).pipe(
    Effect.flatMap((body) => createFeed(principal, body)),
    Effect.map(asJson(201))
  )

const addTicket = (call: Call, principal: ResolvedPrincipal): Handled =>
  Effect.gen(function* () {
    const body = yield* readJsonBody(call.request, principal.project.limits)
    const reply = yield* ok(TicketAnswer, yield* createTicket(principal, body), 201)
    return { ...reply, headers: { "cache-control": "no-store" } }
  })

const feeds = (principal: ResolvedPrincipal): Handled => Effect.map(listFeeds(principal), (data) => asJson(200)({ data }))

/** The id in a path is that of a feed or of none, so it need not be decoded. */
const feedIdIn = ({ parameters }: Call): string => parameters["feed_id"] ?? ""

const info: Handled = Effect.flatMap(infoRecord, (record) => ok(Records.InfoRecord, record))

const health = (call: Call): Handled =>
  Effect.gen(function* () {
    const open = yield* (yield* Admission).isOpen
    const uptimeMs = Math.round(Number((yield* Clock.currentTimeNanos) - call.startedAtNanos) / 1e6)
    const status = open ? "healthy" : "draining"
    return yield* ok(Records.HealthRecord, { status, version: apiVersion, uptimeMs }, open ? 200 : 503)
  })

/** Anyone may ask, so problems name the failing part and no internal detail. */
const ready: Handled = Effect.gen(function* () {
  const open = yield* (yield* Admission).isOpen
  const { database, signer, workers } = yield* (yield* Readiness).check
  const problems = [database, workers, signer].filter((problem) => problem !== undefined)
  const stateOf = (problem: string | undefined) => (problem === undefined ? "ok" : "failed")
  const isReady = open && problems.length === 0
  const record: typeof Records.ReadyRecord.Type = {
    status: open ? (isReady ? "ready" : "unready") : "draining",
    checks: { database: stateOf(database), workers: stateOf(workers), signer: stateOf(signer) },
    problems
  }
  const reply = yield* ok(Records.ReadyRecord, record, isReady ? 200 : 503)
  return isReady ? reply : { ...reply, headers: { "retry-after": "1" } }
})

const dataProxy = ({ parameters }: Call): Handled =>
  Effect.flatMap(dataProxyRecordOf(parameters["public_key"] ?? ""), (record) => ok(Records.DataProxyRecord, record))

const documentation = (call: Call, name: DocumentName): Handled =>
  Effect.flatMap(Documents, (documents) =>
    Effect.flatMap(documents.find(name), (document) => Effect.promise(() => documentReply(document, call.request)))
  )

/** A plain request to the WebSocket path. */
const webSocket: Handled = Effect.fail(new UpgradeRequired({ message: "this address answers WebSocket upgrades only" }))

/** One handler per route. Where the contract requires a key, the handler receives the key's owner. */
type HandlerTable = { readonly [Name in KeyedName]: (call: Call, principal: ResolvedPrincipal) => Handled } & {
  readonly [Name in OpenName]: (call: Call) => Handled
}

const handlers: HandlerTable = {
  execute: (call, principal) => executeHandler(call, principal, false),
  executeWithBody: (call, principal) => executeHandler(call, principal, true),
  lastResult: (call, principal) => lastResultHandler(call, principal, false),
  lastResultWithBody: (call, principal) => lastResultHandler(call, principal, true),
  dataRequestReports: reportsHandler,
  recording: ({ parameters }, { project: owner }) =>
    Effect.map(recordingText(owner, parameters["id"] ?? ""), (body) => ({ status: 200, body })),
  createFeed: addFeed,
  feeds: (_call, principal) => feeds(principal),
  feed: (call, principal) => Effect.map(showFeed(principal, feedIdIn(call)), asJson(200)),
  removeFeed: (call, principal) => Effect.map(removeFeed(principal, feedIdIn(call)), asJson(200)),
  createTicket: addTicket,
  verify: (_call, principal) => verify(principal),
  project: (_call, principal) => project(principal),
  programs: (_call, principal) => programs(principal),
  keys: (_call, principal) => keys(principal),
  program: ({ parameters }, principal) =>
    Effect.flatMap(programRecordOf(principal, parameters["program"] ?? ""), (record) => ok(ProgramRecord, record)),
  info: () => info,
  ready: () => ready,
  health,
  dataProxy,
  docs: (call) => documentation(call, "docs"),
  openApi: (call) => documentation(call, "openApi"),
  asyncApi: (call) => documentation(call, "asyncApi"),
  webSocketDocs: (call) => documentation(call, "webSocketDocs"),
  errorDocs: (call) => documentation(call, "errorDocs"),
  webSocket: () => webSocket
}

/** Answers a request to a route. A required key is checked before anything else in the request. */
export const handle = (route: Route, call: Call): Handled =>
  route.needsKey
    ? Effect.flatMap(Authorization, (authorization) =>
        Effect.flatMap(
          authorization.authorize(call.request.header("authorization"), {
            scopes: ticketScopesOf[route.name],
            origin: call.request.header("origin")
          }),
          (principal) => handlers[route.name](call, principal)
        )
      )
    : handlers[route.name](call)
