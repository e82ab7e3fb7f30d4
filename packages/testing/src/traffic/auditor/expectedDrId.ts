/** The data request that an execution stands for, and its id, derived from what was asked. */
import { derivedDrId } from "../../audits/rest/verification.ts"
import type { Asked } from "./askedRun.ts"
import type { Evidence } from "./evidence.ts"
import { hex } from "./executions.ts"

/** The protocol's values for what a client does not choose (decision D22). */
const fixed = { version: "0.0.1", replicationFactor: 1, consensusFilter: "00", gasPrice: "0", memo: "" } as const

/** The `dataRequest` that a run of the tenant must show; `undefined` if nothing is asked for, or a program by its name. */
export const expectedRequest = (
  { gasLimits }: Evidence,
  tenant: number | undefined,
  asked: Asked
): Readonly<Record<string, unknown>> | undefined => {
  const limits = tenant === undefined ? undefined : gasLimits.get(tenant)
  if (asked.kind !== "run" || limits === undefined) return undefined
  const { execInputs, execProgramId, tallyInputs, tallyProgramId } = asked.run
  if (![execProgramId, tallyProgramId].every((id) => /^[0-9a-f]{64}$/.test(id))) return undefined
  return {
    ...fixed,
    execProgramId,
    tallyProgramId,
    execInputs: hex(execInputs),
    tallyInputs: hex(tallyInputs),
    execGasLimit: limits.exec,
    tallyGasLimit: limits.tally
  }
}

/** Its id. */
export const expectedDrId = (evidence: Evidence, tenant: number | undefined, asked: Asked): string | undefined => {
  const request = expectedRequest(evidence, tenant, asked)
  return request === undefined ? undefined : derivedDrId(request)
}

/** The ids of all data requests that a tenant may have run: those that were asked for, and those that were told. */
export const drIdsOf = (evidence: Evidence, tenant: number): ReadonlySet<string> => {
  const asked = [
    ...evidence.executions.filter((execution) => execution.tenant === tenant),
    ...evidence.feeds.filter(({ socket }) => socket.tenant === tenant)
  ]
  const told = evidence.tellings.filter((telling) => telling.tenant === tenant)
  const ids = [
    ...asked.map((one) => expectedDrId(evidence, tenant, one.asked)),
    ...told.map(({ data }) => (data["dataResult"] as { readonly drId?: unknown } | undefined)?.drId)
  ]
  return new Set(ids.filter((id) => typeof id === "string"))
}
