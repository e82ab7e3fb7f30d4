/** The types of the client are those of the contract, and its lists of tags and reasons are complete. */
import * as core from "@sibyl/core"
import type * as CoreVerify from "@sibyl/core/verify"
import { expect, test } from "vitest"
import type * as messages from "./contract/messages.ts"
import type * as records from "./contract/records.ts"
import type * as requests from "./contract/requests.ts"
import type * as verdicts from "./contract/verdict.ts"
import type { ServiceTag } from "./errors/serviceTag.ts"
import { webSocketProtocol } from "./ground/credentials.ts"

/** `true` where each of two types can stand in the other's place. The compiler is the judge. */
type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false

test("records are those of the contract", () => {
  const checks: [
    Same<records.DataRequest, typeof core.DataRequestRecord.Type>,
    Same<records.ExecuteResponse, typeof core.ExecuteResponse.Type>,
    Same<records.FailedExecutionResponse, typeof core.FailedExecutionResponse.Type>,
    Same<records.QuoteResponse, typeof core.QuoteResponse.Type>,
    Same<records.ReportsPage, typeof core.ReportsRecord.Type>,
    Same<records.VerifiedKey, typeof core.VerifyRecord.Type>,
    Same<records.Project, typeof core.ProjectRecord.Type>,
    Same<records.Program, typeof core.ProgramRecord.Type>,
    Same<records.ProjectKey, (typeof core.KeysRecord.Type)["data"][number]>,
    Same<records.Info, typeof core.InfoRecord.Type>,
    Same<records.DurableFeed, typeof core.DurableFeedRecord.Type>,
    Same<records.Ticket, typeof core.TicketAnswer.Type>
  ] = [true, true, true, true, true, true, true, true, true, true, true, true]
  expect(checks).not.toContain(false)
})

test("requests and messages are those of the contract", () => {
  type Body = typeof core.LastResultBody.Type
  const checks: [
    [requests.LastResultRequest] extends [Body] ? true : false,
    Same<keyof requests.LastResultRequest, Exclude<keyof Body, "dryRun">>,
    Same<requests.TicketRequest, typeof core.TicketBody.Type>,
    Same<messages.FeedRun, (typeof core.FeedResultNotification.Type)["params"]>,
    Same<messages.FeedGap, (typeof core.FeedGapNotification.Type)["params"]>,
    Same<messages.RpcError, typeof core.RpcError.Type>
  ] = [true, true, true, true, true, true]
  expect(checks).not.toContain(false)
})

test("verdicts are those of the verifier", () => {
  const checks: [Same<verdicts.Verdict, CoreVerify.Verdict>, Same<verdicts.VerifyOptions, CoreVerify.VerifyOptions>] = [true, true]
  expect(checks).not.toContain(false)
})

test("tags are those of the contract", () => {
  const checks: [Same<ServiceTag, core.Failure["_tag"]>] = [true]
  expect(checks).not.toContain(false)
})

test("the subprotocol is that of the contract", () => {
  expect(webSocketProtocol).toBe(core.webSocketProtocol)
})
