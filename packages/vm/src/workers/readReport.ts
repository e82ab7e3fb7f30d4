/**
 * Reads what a worker process reports. A program that broke out of the engine could write anything there: what does not have the form of
 * a report is none, and what a call asks for is decoded from the bytes that the tape will hold.
 */
import { deserialize } from "node:v8"
import { KnownLimit } from "@sibyl/core/internal"
import { Schema } from "effect"
import type { WorkerReport } from "../orders/messages.ts"
import { decodeFetchAction } from "../tape/fetchAction.ts"
import { decodeStorageAction } from "../tape/storageAction.ts"
import type { HostCall } from "../tape/tape.ts"
import type { ProcessReport } from "./processMessages.ts"

const Text = Schema.String
const Bytes = Schema.Uint8ArrayFromSelf
const Gas = Schema.BigIntFromSelf.pipe(Schema.nonNegativeBigInt())
const Ms = Schema.Number.pipe(Schema.finite(), Schema.nonNegative())
const Count = Schema.Number.pipe(Schema.int(), Schema.nonNegative())

const Ending = Schema.Struct({
  exitCode: Schema.Number.pipe(Schema.int()),
  exitMessage: Text,
  gasUsed: Gas,
  gasCharged: Gas,
  workerMs: Schema.optional(Ms),
  result: Schema.UndefinedOr(Bytes),
  resultLength: Count,
  stdout: Schema.Array(Text),
  stderr: Schema.Array(Text),
  reason: Schema.UndefinedOr(Text),
  limits: Schema.optional(Schema.Array(KnownLimit))
})

const ahead = { usedAhead: Schema.optional(Count) }

const Call = Schema.Union(
  Schema.Struct({ kind: Schema.Literal("fetch", "proxyPrice", "proxyFetch"), action: Bytes }),
  Schema.Struct({ kind: Schema.Literal("storage"), action: Bytes, operation: Schema.Literal("read", "write", "delete") })
)

const Result = Schema.Union(
  Schema.Struct({ kind: Schema.Literal("done"), ending: Ending, ...ahead }),
  Schema.Struct({ kind: Schema.Literal("needs"), call: Call, gasUsed: Gas, ...ahead }),
  Schema.Struct({ kind: Schema.Literal("stackOverflow"), ...ahead })
)

const Tally = Schema.Union(
  Schema.Struct({ consensus: Schema.Boolean, ending: Ending }),
  Schema.Struct({ consensus: Schema.Boolean, refusal: Schema.Struct({ exitCode: Schema.Number.pipe(Schema.int()), result: Bytes }) })
)

const Report = Schema.Union(
  Schema.Struct({ kind: Schema.Literal("ready", "leftOut") }),
  Schema.Struct({ kind: Schema.Literal("defect"), message: Text }),
  Schema.Struct({ kind: Schema.Literal("checked"), fault: Schema.UndefinedOr(Text) }),
  Schema.Struct({ kind: Schema.Literal("tallyBegan"), afterMs: Ms }),
  Schema.Struct({ kind: Schema.Literal("passed"), result: Result, ranMs: Ms, tally: Schema.UndefinedOr(Tally), tallyMs: Ms })
)

const isReport = Schema.is(Report) as (value: unknown) => value is ProcessReport

type BareCall = (ProcessReport & { readonly kind: "passed" })["result"] & { readonly kind: "needs" }

const callOf = ({ action, kind, operation = "read" }: BareCall["call"]): HostCall | undefined => {
  if (kind === "storage") {
    const reading = decodeStorageAction(operation, action)
    return reading.kind === "request" ? { kind, action, request: reading.request } : undefined
  }
  const reading = decodeFetchAction(action)
  return reading.kind === "request" ? { kind, action, request: reading.request } : undefined
}

const valueIn = (message: Uint8Array): unknown => {
  try {
    return deserialize(message)
  } catch {
    return undefined
  }
}

/** The report in a message; undefined if it is none. */
export const readReport = (message: Uint8Array): WorkerReport | (ProcessReport & { readonly kind: "tallyBegan" }) | undefined => {
  const report = valueIn(message)
  if (!isReport(report)) return undefined
  if (report.kind === "checked") return { ...report, prepared: [] }
  if (report.kind !== "passed") return report
  const { result, ...rest } = report
  const unsigned = { ...rest, prepared: [], signed: undefined }
  if (result.kind !== "needs") return { ...unsigned, result }
  const call = callOf(result.call)
  return call === undefined ? undefined : { ...unsigned, result: { ...result, call } }
}
