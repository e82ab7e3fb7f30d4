/** Audits of each field of the verify record: what it means beside the other records, other keys, and before and after a run. */
import { type Audit, audit, type Findings } from "../../audit.ts"
import { holds, matches, same } from "../../check.ts"
import { at, execute, freshInputs, send } from "../call.ts"
import type { Target } from "../target.ts"
import { decimal, uuid } from "../wireForms.ts"

const ofVerify = (id: string, field: string, title: string, body: (target: Target, field: string) => Promise<Findings>): Audit<Target> =>
  audit<Target>(id, "MUST", "interface.md#verify-record", `verify: ${field}: ${title}`, (target) => body(target, field))

const verified = async (target: Target, field: string, key?: string): Promise<unknown> =>
  at((await send(target, { path: "/verify", ...(key === undefined ? {} : { key }) })).json, field)

const projectOf = async (target: Target): Promise<unknown> => (await send(target, { path: "/project" })).json

const tellsKeysApart = async (target: Target, field: string): Promise<Findings> => {
  const { otherTenantKey } = target
  if (otherTenantKey === undefined) return { skip: "the target has no key of a second project" }
  const [own, again, other] = [await verified(target, field), await verified(target, field), await verified(target, field, otherTenantKey)]
  return [
    matches("a text", own, /\S/),
    same("the same each time", again, own),
    holds("another key's is another", typeof other === "string" && other !== own, other),
    holds("it is not the key, and shows no more than a part of it", own !== target.apiKey && !String(own).includes(target.apiKey))
  ]
}

const isMomentOrNull = (value: unknown): boolean =>
  value === null || (typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(value))

const isNotOver = async (target: Target, field: string): Promise<Findings> => {
  const value = await verified(target, field)
  return [
    holds("an ISO date or null", isMomentOrNull(value), value),
    holds(
      "a key that is accepted has not expired",
      value === null || (typeof value === "string" && Date.parse(value) > Date.now() - 60_000),
      value
    )
  ]
}

const isOfProject =
  (form: RegExp, differs: boolean) =>
  async (target: Target, field: string): Promise<Findings> => {
    const value = await verified(target, field)
    const other = target.otherTenantKey === undefined || !differs ? undefined : await verified(target, field, target.otherTenantKey)
    return [
      matches("its form", value, form),
      same("as GET /project has it", value, at(await projectOf(target), field)),
      holds("another project's is another", other !== value, other)
    ]
  }

const credits = (json: unknown, ...path: ReadonlyArray<string>): bigint => {
  const value = at(json, ...path)
  return typeof value === "string" && decimal.test(value) ? BigInt(value) : -1n
}

/** The snapshot before and after a run, in the direction that its price moves it. */
const movesWithARun =
  (path: "remaining" | "used", sign: 1n | -1n) =>
  async (target: Target, field: string): Promise<Findings> => {
    const before = await verified(target, field)
    const run = await execute(target, "echo", { execInputs: freshInputs(), includeSummary: "true" })
    const after = await verified(target, field)
    const price = credits(run.json, "data", "summary", "creditsUsed")
    return [
      matches("a decimal text", before, decimal),
      holds("the run has a price", price > 0n, String(price)),
      same("moved by the price", after, String(credits(before) + sign * price)),
      same("as GET /project has it", at(await projectOf(target), "credits", path), after)
    ]
  }

/** One audit for each field. */
export const accountFieldAudits: ReadonlyArray<Audit<Target>> = [
  ofVerify("REST-FIELD-022", "apiKeyId", "names the key without opening anything", tellsKeysApart),
  ofVerify("REST-FIELD-023", "apiKeyExpiresAt", "an ISO date that is not over, or null", isNotOver),
  ofVerify("REST-FIELD-024", "organizationId", "a UUID, the project's organization", isOfProject(uuid, false)),
  ofVerify("REST-FIELD-025", "organizationSlug", "a text, the project's organization", isOfProject(/^\S+$/, false)),
  ofVerify("REST-FIELD-026", "projectId", "a UUID, the key's project", isOfProject(uuid, true)),
  ofVerify("REST-FIELD-027", "remainingCreditsSnapshot", "falls by the price of a run", movesWithARun("remaining", -1n)),
  ofVerify("REST-FIELD-028", "usedCreditsSnapshot", "grows by the price of a run", movesWithARun("used", 1n))
]
