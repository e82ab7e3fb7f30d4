/** Stores whose changes by operators are kept in the audit trail, right after they were made. */
import { Context, Effect, Layer, Option } from "effect"
import { programIdOf } from "../../domain/programs/programId.ts"
import { DataProxies } from "../dataProxies.ts"
import { Keys } from "../keys.ts"
import { ProgramNames } from "../programNames.ts"
import { ProgramStore } from "../programStore.ts"
import { Provisioning } from "../provisioning.ts"
import { type AuditDetails, AuditTrail } from "./auditTrail.ts"

/** The stores that operators change. */
export type AuditedStores = Provisioning | Keys | ProgramNames | ProgramStore | DataProxies

/** Notes a change: its action, its subject and its details. */
type Note = (action: string, subject: string, details?: AuditDetails) => Effect.Effect<unknown>

/** A value in a form for the log: what is not flat becomes JSON. */
const flat = (value: unknown): string | number | boolean | null =>
  value === null || typeof value === "number" || typeof value === "boolean" || typeof value === "string"
    ? value
    : JSON.stringify(value, (_key, each: unknown) => (typeof each === "bigint" ? String(each) : each))

/** The members of a change that are set. */
const detailsOf = (change: object): AuditDetails =>
  Object.fromEntries(
    Object.entries(change)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, typeof value === "bigint" ? String(value) : flat(value)])
  )

const provisioning = (inner: Provisioning["Type"], note: Note): Provisioning["Type"] => ({
  createOrganization: (organization) =>
    Effect.tap(inner.createOrganization(organization), ({ name, organizationSlug }) =>
      note("organization.create", organizationSlug, { name })
    ),
  createProject: (project) =>
    Effect.tap(inner.createProject(project), ({ projectId }) => note("project.create", projectId, detailsOf(project))),
  updateProject: (projectId, change) =>
    Effect.tap(inner.updateProject(projectId, change), () => note("project.change", projectId, detailsOf(change))),
  grant: (projectId, credits) =>
    Effect.tap(inner.grant(projectId, credits), () => note("credits.grant", projectId, { credits: String(credits) }))
})

const keys = (inner: Keys["Type"], note: Note): Keys["Type"] => ({
  ...inner,
  issue: (projectId, key) =>
    Effect.tap(inner.issue(projectId, key), ({ apiKeyId }) => note("key.issue", apiKeyId, detailsOf({ projectId, ...key }))),
  revoke: (apiKeyId) => Effect.tap(inner.revoke(apiKeyId), () => note("key.revoke", apiKeyId)),
  rotate: (apiKeyId, rotation) =>
    Effect.tap(inner.rotate(apiKeyId, rotation), (issued) =>
      note("key.rotate", apiKeyId, detailsOf({ newKey: issued.apiKeyId, ...rotation }))
    )
})

const programNames = (inner: ProgramNames["Type"], note: Note): ProgramNames["Type"] => ({
  ...inner,
  give: (input) => Effect.tap(inner.give(input), ({ name, owner, programId }) => note("program.name", name, { programId, owner })),
  take: (owner, name) => Effect.tap(inner.take(owner, name), (isTaken) => (isTaken ? note("program.unname", name, { owner }) : Effect.void))
})

/** What is there already is deployed again at each start of an embedder: that changes nothing. */
const programStore = (inner: ProgramStore["Type"], note: Note): ProgramStore["Type"] => ({
  ...inner,
  put: (program) =>
    Effect.flatMap(inner.get(programIdOf(program)), (known) =>
      Option.isSome(known)
        ? inner.put(program)
        : Effect.tap(inner.put(program), (programId) => note("program.deploy", programId, { sizeBytes: program.length }))
    )
})

const dataProxies = (inner: DataProxies["Type"], note: Note): DataProxies["Type"] => ({
  ...inner,
  register: (input) =>
    Effect.tap(inner.register(input), ({ publicKey, ...proxy }) =>
      note("proxy.register", publicKey, { name: proxy.name, feeCredits: String(proxy.feeCredits), active: proxy.active })
    ),
  remove: (publicKey) => Effect.tap(inner.remove(publicKey), (isRemoved) => (isRemoved ? note("proxy.remove", publicKey) : Effect.void))
})

/** The same stores, with an entry by `by` for each change. An entry follows its change: a crash between the two leaves the change alone. */
export const layerAuditedStores = (by: string): Layer.Layer<AuditedStores, never, AuditedStores | AuditTrail> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const trail = yield* AuditTrail
      const note: Note = (action, subject, details = {}) => trail.add(by, { action, subject, details })
      return Context.make(Provisioning, provisioning(yield* Provisioning, note)).pipe(
        Context.add(Keys, keys(yield* Keys, note)),
        Context.add(ProgramNames, programNames(yield* ProgramNames, note)),
        Context.add(ProgramStore, programStore(yield* ProgramStore, note)),
        Context.add(DataProxies, dataProxies(yield* DataProxies, note))
      )
    })
  )
