/** What Sibyl's own packages share and nobody else should import: `@sibyl/vm/internal` may change in any release. */
/// <reference types="node" preserve="true" />

// For executors on other machines: phases that go on from a tape, and what they are ordered with.
export { engineName } from "./engineName.ts"
export { ResumableRuntime, type ResumablePhase } from "./resumableRuntime.ts"
export type { Continuation, PhaseSpending } from "./driver/continuation.ts"
export { tallyJobOf } from "./driver/followingTally.ts"
export { ProxyAccess, type ProxyDirectory } from "./driver/proxyAccess.ts"
export type { TallyJob } from "./pool/passJob.ts"
export { tapeSchemasOf } from "./tape/tapeSchema.ts"
export type { AnsweredCall, FetchAnswer, ProxyPrice, StorageAnswer, Tape, TapeEntry, TerminalEntry } from "./tape/tape.ts"

// For whoever sends them phases: what is known of a program without running it.
export { mayAskProxies } from "./check/mayAskProxies.ts"
export { makeProgramFindings } from "./check/programFindings.ts"
export { makeProgramValidation } from "./check/programValidation.ts"
export { secureSeeds } from "./seeds.ts"
