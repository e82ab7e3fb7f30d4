/** Stores whose changes by operators are kept in the audit trail, as one with the change. */
import { Context, Effect, Layer, Option } from "effect"
import { programIdOf } from "../../domain/programs/programId.ts"
import { DataProxies } from "../dataProxies.ts"
import { Keys } from "../keys.ts"
import { isRecalling } from "../makeLedger.ts"
import { ProgramNames } from "../programNames.ts"
import { ProgramStore } from "../programStore.ts"
import { Provisioning } from "../provisioning.ts"
import { type AuditDetails, AuditTrail } from "./auditTrail.ts"

/** The stores that operators change. */
export type AuditedStores = Provisioning | Keys | ProgramNames | ProgramStore | DataProxies

/** Notes a change: its action, its subject and its details. */
type Note = (action: string, subject: string, details?: AuditDetails) => Effect.Effect<unknown>

/** Makes a change and notes what came of it, as one. */
type Noted = <A, E>(change: Effect.Effect<A, E>, entryOf: (note: Note, made: A) => Effect.Effect<unknown>) => Effect.Effect<A, E>

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

/** Servers look every 200 ms for credits that they are to give back; one that has not answered by then has stopped. */
const recalling = { pauseMs: 100, mostPauses: 30 }

/** Attempts a withdrawal again while servers may give back what is in its way: each attempt is a transaction of its own. */
const untilRecalled = <A, E>(attempt: Effect.Effect<A, E>, pauses = 0): Effect.Effect<A, E> =>
  Effect.catchIf(
    attempt,
    (error) => isRecalling(error) && pauses < recalling.mostPauses,
    () => Effect.zipRight(Effect.sleep(recalling.pauseMs), untilRecalled(attempt, pauses + 1))
  )

const provisioning = (inner: Provisioning["Type"], noted: Noted): Provisioning["Type"] => ({
  createOrganization: (organization) =>
    noted(inner.createOrganization(organization), (note, { name, organizationSlug }) =>
      note("organization.create", organizationSlug, { name })
    ),
  createProject: (project) =>
    noted(inner.createProject(project), (note, { projectId }) => note("project.create", projectId, detailsOf(project))),
  updateProject: (projectId, change) =>
    noted(inner.updateProject(projectId, change), (note) => note("project.change", projectId, detailsOf(change))),
  grant: (projectId, credits) =>
    noted(inner.grant(projectId, credits), (note) => note("credits.grant", projectId, { credits: String(credits) })),
  withdraw: (projectId, credits) =>
    untilRecalled(noted(inner.withdraw(projectId, credits), (note) => note("credits.withdraw", projectId, { credits: String(credits) })))
})

const keys = (inner: Keys["Type"], noted: Noted): Keys["Type"] => ({
  ...inner,
  issue: (projectId, key) =>
    noted(inner.issue(projectId, key), (note, { apiKeyId }) => note("key.issue", apiKeyId, detailsOf({ projectId, ...key }))),
  revoke: (apiKeyId) => noted(inner.revoke(apiKeyId), (note, isRevoked) => (isRevoked ? note("key.revoke", apiKeyId) : Effect.void)),
  rotate: (apiKeyId, rotation) =>
    noted(inner.rotate(apiKeyId, rotation), (note, issued) =>
      note("key.rotate", apiKeyId, detailsOf({ newKey: issued.apiKeyId, ...rotation }))
    )
})

const programNames = (inner: ProgramNames["Type"], noted: Noted): ProgramNames["Type"] => ({
  ...inner,
  give: (input) => noted(inner.give(input), (note, { name, owner, programId }) => note("program.name", name, { programId, owner })),
  take: (owner, name) =>
    noted(inner.take(owner, name), (note, isTaken) => (isTaken ? note("program.unname", name, { owner }) : Effect.void))
})

/** What is there already is deployed again at each start of an embedder: that changes nothing. */
const programStore = (inner: ProgramStore["Type"], noted: Noted): ProgramStore["Type"] => ({
  ...inner,
  put: (program) =>
    Effect.flatMap(inner.get(programIdOf(program)), (known) =>
      Option.isSome(known)
        ? inner.put(program)
        : noted(inner.put(program), (note, programId) => note("program.deploy", programId, { sizeBytes: program.length }))
    )
})

const dataProxies = (inner: DataProxies["Type"], noted: Noted): DataProxies["Type"] => ({
  ...inner,
  register: (input) =>
    noted(inner.register(input), (note, { publicKey, ...proxy }) =>
      note("proxy.register", publicKey, { name: proxy.name, feeCredits: String(proxy.feeCredits), active: proxy.active })
    ),
  remove: (publicKey) => noted(inner.remove(publicKey), (note, isRemoved) => (isRemoved ? note("proxy.remove", publicKey) : Effect.void))
})

/**
 * The same stores, with an entry by `by` for each change. Change and entry are kept as one where {@link AuditTrail} can do that, as in a
 * database that has both.
 */
export const layerAuditedStores = (by: string): Layer.Layer<AuditedStores, never, AuditedStores | AuditTrail> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const trail = yield* AuditTrail
      const note: Note = (action, subject, details = {}) => trail.add(by, { action, subject, details })
      const noted: Noted = (change, entryOf) => trail.asOne(Effect.tap(change, (made) => entryOf(note, made)))
      return Context.make(Provisioning, provisioning(yield* Provisioning, noted)).pipe(
        Context.add(Keys, keys(yield* Keys, noted)),
        Context.add(ProgramNames, programNames(yield* ProgramNames, noted)),
        Context.add(ProgramStore, programStore(yield* ProgramStore, noted)),
        Context.add(DataProxies, dataProxies(yield* DataProxies, noted))
      )
    })
  )
