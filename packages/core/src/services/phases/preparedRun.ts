/** A run before its phases: the data request, the programs' bytes and the limits. */
import type { Abandonment } from "../../domain/runs/abandonment.ts"
import type { DataRequest } from "../../domain/protocol/dataRequest.ts"
import type { ExecutionReport } from "../../domain/reports/executionReport.ts"
import type { Limits } from "../../domain/settings/limits.ts"

/** Everything that a run depends on. */
export interface PreparedRun {
  readonly id: string
  readonly projectId: string
  readonly source: ExecutionReport["source"]
  readonly request: DataRequest
  readonly execProgram: Uint8Array
  readonly tallyProgram: Uint8Array
  readonly limits: Limits
  /** The only hosts that the execution program may reach; `null`: all that the runtime allows. */
  readonly allowedHosts: ReadonlyArray<string> | null
  /** The last result that is shown to the program, if any. */
  readonly last: ExecutionReport | undefined
  /** Whether what it depends on is kept with its report. */
  readonly isRecorded: boolean
  /** Tells when nobody waits for its answer any more. */
  readonly abandoned: Abandonment
}
