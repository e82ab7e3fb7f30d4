/** Setting up organizations, projects and credits. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import {
  type Balance,
  changedSettings,
  checkedGrant,
  checkedName,
  checkedOrganization,
  checkedProject,
  Entropy,
  type InvalidSetting,
  type NewOrganization,
  type NewProject,
  type Organization,
  OrganizationExists,
  type Project,
  type ProjectChange,
  type ProjectNotFound,
  Provisioning
} from "@sibyl/core"
import { uuidOf, withdrawnOf } from "@sibyl/core/internal"
import { Clock, Effect, Layer } from "effect"
import { balanceNow } from "../ledger/balanceNow.ts"
import { performOperations } from "../ledger/ledgerBatch.ts"
import { createAccount } from "../ledger/newAccount.ts"
import { DatabaseTime } from "../database/databaseTime.ts"
import { refusable } from "../database/refusable.ts"
import { existingProject, lockProject, settingsOf } from "./storedProject.ts"

/** Returns whether the organization was created, that is, whether its slug was free. */
const insertOrganization = (sql: SqlClient, organization: Organization): Effect.Effect<boolean, SqlError> =>
  Effect.map(
    sql`
      INSERT INTO organizations (organization_id, organization_slug, name, created_at_ms)
      VALUES (${organization.organizationId}, ${organization.organizationSlug}, ${organization.name},
        ${organization.createdAtMs})
      ON CONFLICT (organization_slug) DO NOTHING RETURNING organization_id`,
    (rows) => rows.length === 1
  )

const createOrganization = (
  sql: SqlClient,
  wanted: NewOrganization,
  entropy: Uint8Array
): Effect.Effect<Organization, SqlError | InvalidSetting | OrganizationExists> =>
  Effect.gen(function* () {
    const fields = yield* checkedOrganization(wanted)
    const organization = {
      organizationId: uuidOf(entropy),
      ...fields,
      createdAtMs: yield* Clock.currentTimeMillis
    }
    if (!(yield* insertOrganization(sql, organization))) return yield* new OrganizationExists(fields)
    return organization
  })

/** The organization with this slug, created with the id `candidate` if this is the slug's first project. */
const organizationIdOf = (sql: SqlClient, organizationSlug: string, candidate: string, nowMs: number): Effect.Effect<string, SqlError> =>
  insertOrganization(sql, { organizationId: candidate, organizationSlug, name: null, createdAtMs: nowMs }).pipe(
    Effect.zipRight(sql<{ readonly organization_id: string }>`
      SELECT organization_id FROM organizations WHERE organization_slug = ${organizationSlug}`),
    Effect.map(([row]) => row?.organization_id ?? candidate)
  )

const createProject = (sql: SqlClient, wanted: NewProject, entropy: Uint8Array): Effect.Effect<Project, SqlError | InvalidSetting> =>
  Effect.gen(function* () {
    const { name, organizationSlug, settings } = yield* checkedProject(wanted)
    const nowMs = yield* Clock.currentTimeMillis
    const candidate = uuidOf(entropy.subarray(0, 16))
    const organizationId = yield* organizationIdOf(sql, organizationSlug, candidate, nowMs)
    const project = { projectId: uuidOf(entropy.subarray(16)), organizationId, organizationSlug, ...settings }
    yield* sql`
      INSERT INTO projects (project_id, organization_id, name, settings, created_at_ms)
      VALUES (${project.projectId}, ${organizationId}, ${name}, ${settingsOf(project)}, ${nowMs})`
    yield* createAccount(sql, project.projectId)
    return project
  })

const updateProject = (
  sql: SqlClient,
  projectId: string,
  change: ProjectChange
): Effect.Effect<Project, SqlError | InvalidSetting | ProjectNotFound> =>
  Effect.gen(function* () {
    yield* lockProject(sql, projectId)
    const before = yield* existingProject(sql, projectId)
    const name = yield* checkedName("name", change.name === undefined ? before.name : change.name)
    const { createdAtMs: _createdAtMs, name: _name, ...project } = before
    const after = { ...project, ...(yield* changedSettings(project, change)) }
    yield* sql`UPDATE projects SET name = ${name}, settings = ${settingsOf(after)} WHERE project_id = ${projectId}`
    return after
  })

const grant = (sql: SqlClient, projectId: string, amount: bigint): Effect.Effect<Balance, SqlError | InvalidSetting | ProjectNotFound> =>
  Effect.gen(function* () {
    const credits = yield* checkedGrant(amount)
    const project = yield* existingProject(sql, projectId)
    const nowMs = yield* Clock.currentTimeMillis
    yield* performOperations(sql, [{ operation: { kind: "grant", projectId, credits }, nowMs }])
    return yield* balanceNow(sql, project)
  })

/** A refusal has been written, too: what servers keep for their runs is recalled. */
const withdraw = (sql: SqlClient, projectId: string, amount: bigint) =>
  Effect.gen(function* () {
    const credits = yield* checkedGrant(amount)
    const project = yield* existingProject(sql, projectId)
    const nowMs = yield* Clock.currentTimeMillis
    const outcomes = yield* performOperations(sql, [{ operation: { kind: "withdraw", projectId, credits }, nowMs }])
    yield* Effect.forEach(outcomes, withdrawnOf, { discard: true })
    return yield* balanceNow(sql, project)
  })

/** Provisioning. */
export const layerSqlProvisioning: Layer.Layer<Provisioning, never, SqlClient | Entropy | DatabaseTime> = Layer.effect(
  Provisioning,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const entropy = yield* Entropy
    const during = yield* DatabaseTime
    return {
      createOrganization: (wanted) =>
        Effect.flatMap(entropy.bytes(16), (bytes) => refusable(sql, "creating an organization", createOrganization(sql, wanted, bytes))),
      createProject: (wanted) =>
        Effect.flatMap(entropy.bytes(32), (bytes) => refusable(sql, "creating a project", createProject(sql, wanted, bytes))),
      updateProject: (projectId, change) => refusable(sql, "changing a project", updateProject(sql, projectId, change)),
      grant: (projectId, credits) => during(refusable(sql, "granting credits", grant(sql, projectId, credits))),
      withdraw: (projectId, credits) => during(refusable(sql, "withdrawing credits", withdraw(sql, projectId, credits)))
    }
  })
)
