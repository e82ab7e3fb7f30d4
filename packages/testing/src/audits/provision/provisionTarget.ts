/** A target of a Sibyl that the kit operates itself. */
import { auditPrograms } from "../programs/auditPrograms.ts"
import type { Target } from "../rest/target.ts"
import { meansOf, type Provisioner } from "./means.ts"
import { auditedCredits, preparedKeys } from "./preparedKeys.ts"

/** The origin to allow where the kit starts the service. */
export const auditedOrigin = "https://listed.example"

/** What a service need not have, and Sibyl has. */
const everyFeature = { hasTickets: true, hasRecordings: true, hasKeyList: true, hasProgramRecords: true, hasDurableFeeds: true } as const

/** Deploys the kit's programs and makes every project and key that audits can use. */
export const provisionTarget = async (
  provisioner: Provisioner,
  server: Pick<Target, "baseUrl" | "fetch" | "standAlone" | "allowedOrigin">
): Promise<Target> => {
  const means = meansOf(provisioner)
  const deployed = Object.entries(auditPrograms).map(async ([name, program]) => [name, await means.deploy(program)])
  const programs = Object.fromEntries(await Promise.all(deployed)) as Target["programs"]
  const apiKey = await means.makeKey({ credits: auditedCredits })
  return { ...server, programs, apiKey, ...(await preparedKeys(means, programs.echo)), ...everyFeature }
}
