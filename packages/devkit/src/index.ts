/** The devkit: runs Oracle Programs on the engine of the server, beside data proxies on loopback. */
export type { ProxyClients } from "./dataProxy/judgeProof.ts"
export {
  openDataProxy,
  type ProxiedSource,
  type DataProxyServerOptions,
  type RunningProxy,
  type SeenRequest
} from "./dataProxy/openDataProxy.ts"
export { type ProxyFault, proxyFaults } from "./dataProxy/proxyFault.ts"
export { type BenchOptions, openProgramBench, type ProgramBench, ProgramRunRefused } from "./programs/programBench.ts"
export type { ProgramRun } from "./programs/programRun.ts"
export type { AnswerRequest, ProgramAnswer, ProgramRequest } from "./programs/cannedHttp.ts"
export type { CallNode, GasRow, PhaseProfile } from "@sibyl/vm"
export type { LastResultInput } from "./programs/lastReport.ts"
export type { PhaseOfRun, PriceOfRun, ProgramCall, ProgramOutcome } from "./programs/programOutcome.ts"
export { type ProgramTest, testOracleProgram } from "./programs/testOracleProgram.ts"
