/** The virtual machine of Oracle Programs: a runtime for both phases, and the check at deployment. */
export { checkProgram, ProgramRefused, type RefusalKind } from "./check/checkProgram.ts"
export { inspectProgram, type ProgramFacts } from "./check/inspectProgram.ts"
export { type PhaseRefusals, programFindings } from "./check/programFindings.ts"
export { loadFastKeccak256 } from "./fastKeccak256.ts"
export type { CallNode, GasRow, PhaseProfile } from "./profile/gasProfile.ts"
export { Replayer, ReplayDiverged } from "./replayer.ts"
export { layerProgramRuntime, layerProxiedProgramRuntime, type Profiling, type RuntimeOptions } from "./runtime.ts"
