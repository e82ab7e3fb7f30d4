/** The report of a profiling thread when it ends. */
import type { ProfileResult } from "./profilePass.ts"

/** The result, or that something of ours broke. */
export type ProfileReport = ProfileResult | { readonly kind: "defect"; readonly message: string }
