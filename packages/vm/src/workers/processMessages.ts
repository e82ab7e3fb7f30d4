/** What a worker process and the server tell each other beside the orders. */
import type { HostCall } from "../tape/tape.ts"
import type { PassResult } from "../pass/pass.ts"
import type { WorkerReport } from "../orders/messages.ts"

/** File descriptors of a worker process: orders, reports, what it says before it ends itself, and which orders it is to leave out. */
export const processPipes = { orders: 0, reports: 1, lastWords: 3, recalls: 4 } as const

/** Which orders are to be left out that have not begun. */
export interface Recall {
  readonly after: number
  readonly upTo: number
}

const recallBytes = 8

/** A recall as it is sent. */
export const recallMessage = ({ after, upTo }: Recall): Uint8Array => {
  const message = new Uint8Array(recallBytes)
  const view = new DataView(message.buffer)
  view.setUint32(0, after)
  view.setUint32(4, upTo)
  return message
}

/** Reads such messages, in whatever pieces they come: the last one that is complete holds. */
export class RecallReader {
  #rest = new Uint8Array()

  /** The newest one; undefined if none is complete. */
  push(piece: Uint8Array): Recall | undefined {
    const bytes = new Uint8Array([...this.#rest, ...piece])
    const complete = bytes.length - (bytes.length % recallBytes)
    this.#rest = bytes.slice(complete)
    if (complete === 0) return undefined
    const view = new DataView(bytes.buffer, complete - recallBytes)
    return { after: view.getUint32(0), upTo: view.getUint32(4) }
  }
}

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
  const { kind, ranMs, result, tally, tallyMs } = report
  return { kind, ranMs, result: bareResult(result), tally, tallyMs }
}
