/** A project's row: encoding and decoding. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { type ListedProject, type Project, ProjectNotFound, type ProjectSettings } from "@sibyl/core"
import { RecentMap } from "@sibyl/core/internal"
import { Effect, Option, Schema } from "effect"
import { forUpdate } from "../database/transaction.ts"

/** The columns that a project is decoded from. */
export interface ProjectRow {
  readonly project_id: string
  readonly organization_id: string
  readonly organization_slug: string
  readonly settings: string
}

/** The settings of a project, as JSON. Limits are stored by name, counts as numbers and credits as decimal strings. */
const Settings = Schema.parseJson(
  Schema.Struct({
    gasLimits: Schema.Struct({ exec: Schema.BigInt, tally: Schema.BigInt }),
    usageLimit: Schema.NullOr(Schema.Struct({ periodMs: Schema.Int, credits: Schema.BigInt })),
    allowedPrograms: Schema.NullOr(Schema.Array(Schema.String)),
    // Absent in what was stored before there was such a list.
    allowedHosts: Schema.optionalWith(Schema.NullOr(Schema.Array(Schema.String)), { exact: true, default: () => null }),
    limits: Schema.Record({ key: Schema.String, value: Schema.Union(Schema.Number, Schema.BigInt) })
  })
)
const encodeSettings = Schema.encodeSync(Settings)
const decodeSettings = Schema.decodeSync(Settings)

/** The `settings` column of a project. */
export const settingsOf = ({ allowedHosts, allowedPrograms, gasLimits, limits, usageLimit }: ProjectSettings): string =>
  encodeSettings({ allowedHosts, allowedPrograms, gasLimits, limits: { ...limits }, usageLimit })

const decoded = (row: ProjectRow): Project => {
  const { limits, ...settings } = decodeSettings(row.settings)
  return {
    projectId: row.project_id,
    organizationId: row.organization_id,
    organizationSlug: row.organization_slug,
    ...settings,
    limits
  }
}

/** Projects that are remembered with the settings of their rows, up to twice as many. */
const projectsKept = 4_096

const known = new RecentMap<{ readonly settings: string; readonly project: Project }>(projectsKept)

/** The project of a row: the same object as before while the row is the same. On PostgreSQL every request reads it. */
export const projectOfRow = (row: ProjectRow): Project => {
  const last = known.get(row.project_id)
  const isSame =
    last?.settings === row.settings &&
    last.project.organizationId === row.organization_id &&
    last.project.organizationSlug === row.organization_slug
  if (isSame) return last.project
  const project = decoded(row)
  known.set(row.project_id, { settings: row.settings, project })
  return project
}

/** The project with this id. */
export const findProject = (sql: SqlClient, projectId: string): Effect.Effect<Option.Option<Project>, SqlError> =>
  Effect.map(
    sql<ProjectRow>`
      SELECT project_id, organization_id, organization_slug, settings
      FROM projects JOIN organizations USING (organization_id)
      WHERE project_id = ${projectId}`,
    ([row]) => Option.map(Option.fromNullable(row), projectOfRow)
  )

interface ListedRow extends ProjectRow {
  readonly name: string | null
  readonly created_at_ms: number | string
}

const listedOf = (row: ListedRow): ListedProject => ({
  ...projectOfRow(row),
  name: row.name,
  createdAtMs: Number(row.created_at_ms)
})

const selectListed = (sql: SqlClient) =>
  sql.literal(`SELECT project_id, organization_id, organization_slug, settings, projects.name, projects.created_at_ms
    FROM projects JOIN organizations USING (organization_id)`)

/** The project with this id as an operator sees it. */
export const existingProject = (sql: SqlClient, projectId: string): Effect.Effect<ListedProject, SqlError | ProjectNotFound> =>
  Effect.flatMap(
    sql<ListedRow>`${selectListed(sql)} WHERE project_id = ${projectId}`,
    ([row]): Effect.Effect<ListedProject, ProjectNotFound> =>
      row === undefined ? new ProjectNotFound({ projectId }) : Effect.succeed(listedOf(row))
  )

/** The projects of one organization or all, oldest first. */
export const listProjects = (sql: SqlClient, organizationId?: string): Effect.Effect<ReadonlyArray<ListedProject>, SqlError> => {
  const wanted = organizationId === undefined ? sql.literal("") : sql`WHERE organization_id = ${organizationId}`
  return Effect.map(sql<ListedRow>`${selectListed(sql)} ${wanted} ORDER BY projects.created_at_ms, project_id`, (rows) =>
    rows.map(listedOf)
  )
}

/** Prevents other transactions from changing the project until this one ends. */
export const lockProject = (sql: SqlClient, projectId: string): Effect.Effect<void, SqlError> =>
  Effect.asVoid(sql`SELECT project_id FROM projects WHERE project_id = ${projectId} ${forUpdate(sql)}`)
