/** The limits of a pass. */
import type { Limits } from "@sibyl/core"
import type { CallLimits } from "../host/state/callRefusal.ts"

/** Those that a pass enforces itself. */
export type PassLimits = CallLimits & Pick<Limits, "stdoutBytes" | "stderrBytes" | "resultBytes">
