/** Every error has its status and its code, and its body matches its schema (decisions D13, D15, D17). */
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { errorResponse } from "../edge/transport/errorResponse.ts"
import { type ErrorMeaning, errorMeanings } from "./errorMeanings.ts"
import * as Errors from "./errors.ts"

/** The specified statuses and codes; every error in the file must be listed. */
const table: Readonly<Record<string, readonly [status: number, rpcCode: number]>> = {
  InvalidParameter: [400, 32602],
  InvalidRequest: [400, 32600],
  ProgramNotAllowed: [400, 32602],
  Unauthorized: [401, 36041],
  OutsideTicket: [403, 36043],
  TicketLimit: [429, 36030],
  InsufficientCredits: [403, 36003],
  NotFound: [404, 32601],
  ProgramNotFound: [404, 36004],
  LastResultNotFound: [404, 36005],
  RecordingNotFound: [404, 36006],
  MethodNotAllowed: [405, 32601],
  RequestTimeout: [408, 32600],
  PayloadTooLarge: [413, 32600],
  UriTooLong: [414, 32600],
  HeadTooLarge: [431, 32600],
  UnsupportedMediaType: [415, 32600],
  IdempotencyKeyReused: [422, 36022],
  CreditLimitExceeded: [429, 36029],
  UpgradeRequired: [426, 32600],
  TooManyConnections: [429, 36030],
  MethodNotFound: [404, 32601],
  FeedNotFound: [404, 32001],
  FeedLimit: [429, 36030],
  FeedOverlapLimit: [429, 36030],
  InternalError: [500, 36000],
  Overloaded: [503, 36053],
  Unavailable: [503, 36054]
}

const classes = Object.entries(Errors)

/** What a meaning lacks: a cause and a cure are clauses without a full stop, and not the same. */
const lacks = ({ cause, cure, example }: ErrorMeaning): ReadonlyArray<string> => [
  ...[cause, cure].filter((text) => !/^[a-z0-9_=].{14,}[^.\s]$/i.test(text)),
  ...(cause === cure ? ["says the same twice"] : []),
  ...(example.message === "" ? ["has no example"] : [])
]

describe("the errors", () => {
  it("have a cause, a cure and an example each, and no meaning is left over", () => {
    for (const [name, { meaning }] of classes) expect(lacks(meaning), name).toEqual([])
    expect(Object.keys(errorMeanings).toSorted()).toEqual(classes.map(([name]) => name).toSorted())
    const bare = { cause: "", cure: "", example: { message: "" } }
    expect(lacks(bare)).toHaveLength(4)
    expect(lacks({ ...Errors.NotFound.meaning, cure: "" })).toEqual([""])
    // A class without a meaning does not compile; `npm run check` would fail if this did.
    // @ts-expect-error: no such meaning
    expect(errorMeanings["Undeclared"]).toBeUndefined()
  })

  it("have the specified status and code", () => {
    const found = Object.fromEntries(classes.map(([name, error]) => [name, [error.status, error.rpcCode]]))
    expect(found).toEqual(table)
  })

  it("have their class's name as tag, and the same status on instances", () => {
    for (const [name, error] of classes) {
      const value = new error({ message: "why" })
      expect(value).toMatchObject({ _tag: name, message: "why", status: error.status, rpcCode: error.rpcCode })
    }
  })

  it("have a body that matches their own schema only", () => {
    for (const [, error] of classes) {
      const { body, headers, status } = errorResponse(new error({ message: "why", details: { a: 1 } }), "id")
      const parsed = JSON.parse(String(body)) as unknown
      const reads = (wire: Schema.Schema.AnyNoContext): boolean => Schema.is(wire)(parsed)
      expect(status).toBe(error.status)
      expect(headers["x-request-id"]).toBe("id")
      for (const [, other] of classes) expect(reads(other.wire)).toBe(other === error)
    }
  })

  it("have a body with tag, text twice, request id and details, in this order", () => {
    const { body } = errorResponse(Errors.InvalidParameter.because("amount", "must be 1 to 100"), "the-id")
    expect(body).toBe(
      '{"_tag":"InvalidParameter","error":"amount: must be 1 to 100","message":"amount: must be 1 to 100",' +
        '"requestId":"the-id","details":{"parameter":"amount","rule":"must be 1 to 100"}}'
    )
  })

  it("set the headers for retrying and for authentication", () => {
    const headersOf = (error: Errors.Failure) => errorResponse(error, "id").headers
    expect(headersOf(new Errors.Overloaded({ message: "", retryAfterSeconds: 1 }))["retry-after"]).toBe("1")
    expect(headersOf(new Errors.Unauthorized({ message: "" }))["www-authenticate"]).toBe("Bearer")
    expect(Object.keys(headersOf(new Errors.InternalError({ message: "" })))).toEqual(["content-type", "x-request-id"])
  })
})
