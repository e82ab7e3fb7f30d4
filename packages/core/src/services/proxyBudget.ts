/** What a run may spend on data proxies: nothing when its program cannot ask any, so that nothing is held for it (decision D31). */
import type { Context } from "effect"
import type { ProgramRuntime } from "../ports/programRuntime.ts"

/** The credits of an execution program's budget. A runtime that cannot tell leaves it whole. */
export const proxyBudgetOf = (
  runtime: Pick<Context.Tag.Service<ProgramRuntime>, "mayAskProxies">,
  execProgram: Uint8Array,
  proxyBudgetCredits: bigint
): bigint => (runtime.mayAskProxies?.(execProgram) === false ? 0n : proxyBudgetCredits)
