/** The operator of traffic for a Sibyl that the kit operates itself. */
import { meansOf, type Provisioner } from "../../audits/provision/means.ts"
import type { TrafficOperator } from "./trafficTarget.ts"

/** What makes projects, keys and grants of a `Provisioner`. */
export const trafficOperatorOf = (
  provisioner: Pick<Provisioner, "createProject" | "issueKey" | "revokeKey" | "grant">
): TrafficOperator => {
  const unused = (): Promise<never> => Promise.reject(new Error("traffic deploys, names and registers nothing"))
  const { makeKey, revokeKey } = meansOf({ deploy: unused, nameProgram: unused, registerProxy: unused, ...provisioner })
  return {
    makeKey,
    revokeKey,
    issueKey: (projectId) => provisioner.issueKey(projectId),
    grant: (projectId, credits) => provisioner.grant(projectId, credits)
  }
}
