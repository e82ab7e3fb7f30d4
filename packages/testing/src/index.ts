/** The test kit: audits of the service, audits of adapters, and what they are run and reported with. */
export { adapterAudits } from "./adapters/adapterAudits.ts"
export type { AdapterTarget } from "./adapters/adapterTarget.ts"
export { makeMirrorService } from "./adapters/mirrorService.ts"
export type { Audit, AuditResult, Findings, Level } from "./audits/audit.ts"
export { audit } from "./audits/audit.ts"
export * from "./audits/check.ts"
export * from "./audits/printReport.ts"
export * from "./audits/runAudits.ts"
