/** What a run may spend on data proxies: nothing if its program cannot call any, so that no credits are held for them (decision D31). */
import type { Context } from "effect"
import type { ProgramRuntime } from "../../ports/programRuntime.ts"

/** The proxy budget of an execution program, in credits. It is the whole budget if the runtime cannot tell. */
export const proxyBudgetOf = (
  runtime: Pick<Context.Tag.Service<ProgramRuntime>, "mayAskProxies">,
  execProgram: Uint8Array,
  proxyBudgetCredits: bigint
): bigint => (runtime.mayAskProxies?.(execProgram) === false ? 0n : proxyBudgetCredits)
