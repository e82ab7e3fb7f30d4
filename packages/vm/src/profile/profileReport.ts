/** What a thread that profiles says at its end. */
import type { ProfileResult } from "./profilePass.ts"

/** The result, or that something of ours broke. */
export type ProfileReport = ProfileResult | { readonly kind: "defect"; readonly message: string }
