/** What a worker process and the server tell each other beside the orders. */
import type { HostCall } from "../tape/tape.ts"
import type { PassResult } from "../pass/pass.ts"
import type { WorkerReport } from "../orders/messages.ts"

/** File descriptors of a worker process: orders, reports, and what it says before it ends itself. */
export const processPipes = { orders: 0, reports: 1, lastWords: 3 } as const

/** What a worker process says before it ends itself: it has too much memory, or worked on while it had no order. */
export const lastWords = { memory: "m", restless: "r" } as const

/** A call as it is reported: the server decodes the action itself. */
type BareCall = Pick<HostCall, "kind" | "action"> & { readonly operation?: "read" | "write" | "delete" }

type BareResult =
  | Exclude<PassResult, { readonly kind: "needs" }>
  | (Omit<PassResult & { readonly kind: "needs" }, "call"> & { readonly call: BareCall })

/** What a worker process reports. Compiled modules stay with it, and it signs nothing. */
export type ProcessReport =
  | Exclude<WorkerReport, { readonly kind: "passed" | "checked" }>
  | Omit<WorkerReport & { readonly kind: "checked" }, "prepared">
  | { readonly kind: "tallyBegan"; readonly afterMs: number }
  | (Omit<WorkerReport & { readonly kind: "passed" }, "prepared" | "signed" | "result"> & { readonly result: BareResult })

const bareCall = (call: HostCall): BareCall =>
  call.kind === "storage"
    ? { kind: call.kind, action: call.action, operation: call.request.operation }
    : { kind: call.kind, action: call.action }

const bareResult = (result: PassResult): BareResult => (result.kind === "needs" ? { ...result, call: bareCall(result.call) } : result)

/** A worker's report as its process sends it. */
export const processReportOf = (report: WorkerReport): ProcessReport => {
  if (report.kind === "checked") return { kind: report.kind, fault: report.fault }
  if (report.kind !== "passed") return report
  const { kind, result, tally, tallyMs } = report
  return { kind, result: bareResult(result), tally, tallyMs }
}
