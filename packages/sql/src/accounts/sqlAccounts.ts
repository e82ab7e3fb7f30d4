/** Organizations, projects and journals as an operator reads them. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import {
  Accounts,
  checkedJournalQuery,
  checkedRunsQuery,
  type EntryKind,
  type InvalidSetting,
  type JournalEntry,
  type JournalQuery,
  type Organization,
  OrganizationNotFound,
  type PlacedReport,
  type ProjectNotFound,
  type RunsQuery
} from "@sibyl/core"
import { Effect, Layer } from "effect"
import { readable } from "../database/refusable.ts"
import { orSqlDefect } from "../database/sqlDefect.ts"
import { placedOf, type ReportRow } from "../runs/sqlResultStore.ts"
import { existingProject, listProjects } from "./storedProject.ts"

interface OrganizationRow {
  readonly organization_id: string
  readonly organization_slug: string
  readonly name: string | null
  readonly created_at_ms: number | string
}

const organizationOf = (row: OrganizationRow): Organization => ({
  organizationId: row.organization_id,
  organizationSlug: row.organization_slug,
  name: row.name,
  createdAtMs: Number(row.created_at_ms)
})

interface EntryRow {
  readonly entry: number | string
  readonly kind: EntryKind
  readonly credits: string
  readonly hold_id: string | null
  readonly at_ms: number | string
}

const entryOf = (row: EntryRow): JournalEntry => ({
  entry: Number(row.entry),
  kind: row.kind,
  credits: BigInt(row.credits),
  holdId: row.hold_id,
  atMs: Number(row.at_ms)
})

const organizations = (sql: SqlClient): Effect.Effect<ReadonlyArray<Organization>, SqlError> =>
  Effect.map(
    sql<OrganizationRow>`
      SELECT organization_id, organization_slug, name, created_at_ms FROM organizations
      ORDER BY created_at_ms, organization_id`,
    (rows) => rows.map(organizationOf)
  )

const projects = (sql: SqlClient, organizationSlug: string | undefined) =>
  Effect.gen(function* () {
    if (organizationSlug === undefined) return yield* listProjects(sql)
    const [organization] = yield* sql<{ readonly organization_id: string }>`
      SELECT organization_id FROM organizations WHERE organization_slug = ${organizationSlug}`
    if (organization === undefined) return yield* new OrganizationNotFound({ organizationSlug })
    return yield* listProjects(sql, organization.organization_id)
  })

const journal = (
  sql: SqlClient,
  query: JournalQuery
): Effect.Effect<ReadonlyArray<JournalEntry>, SqlError | InvalidSetting | ProjectNotFound> =>
  Effect.gen(function* () {
    const { projectId } = query
    yield* existingProject(sql, projectId)
    const { amount, beforeEntry } = yield* checkedJournalQuery(query)
    const rows = yield* sql<EntryRow>`
      SELECT entry, kind, credits, hold_id, at_ms FROM journal
      WHERE project_id = ${projectId} AND entry < ${beforeEntry} ORDER BY entry DESC LIMIT ${amount}`
    return rows.map(entryOf)
  })

const runs = (sql: SqlClient, query: RunsQuery): Effect.Effect<ReadonlyArray<PlacedReport>, SqlError | InvalidSetting | ProjectNotFound> =>
  Effect.gen(function* () {
    const { projectId } = query
    yield* existingProject(sql, projectId)
    const { amount, beforeSequence } = yield* checkedRunsQuery(query)
    // In the order of the primary key, so that no further index is needed.
    const rows = yield* sql<ReportRow>`
      SELECT body, executed_at_ms, entry FROM reports
      WHERE project_id = ${projectId} AND entry < ${beforeSequence} ORDER BY entry DESC LIMIT ${amount}`
    return rows.map(placedOf)
  })

/** The accounts. */
export const layerSqlAccounts: Layer.Layer<Accounts, never, SqlClient> = Layer.effect(
  Accounts,
  Effect.map(SqlClient, (sql) => ({
    organizations: orSqlDefect("listing organizations")(organizations(sql)),
    projects: (organizationSlug) => readable("listing projects", projects(sql, organizationSlug)),
    project: (projectId) => readable("reading a project", existingProject(sql, projectId)),
    journal: (query) => readable("reading a journal", journal(sql, query)),
    runs: (query) => readable("reading runs", runs(sql, query))
  }))
)
