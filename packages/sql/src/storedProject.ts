/** A project as a row: what it is made of and how it is read back. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Project } from "@sibyl/core"
import { Effect, Option, Schema } from "effect"

/** The columns that a project is read from. */
export interface ProjectRow {
  readonly project_id: string
  readonly organization_id: string
  readonly organization_slug: string
  readonly settings: string
}

/** What can be set of a project, as JSON. Limits are kept by name, counts as numbers and credits as decimal strings. */
const Settings = Schema.parseJson(
  Schema.Struct({
    gasLimits: Schema.Struct({ exec: Schema.BigInt, tally: Schema.BigInt }),
    usageLimit: Schema.NullOr(Schema.Struct({ periodMs: Schema.Int, credits: Schema.BigInt })),
    allowedPrograms: Schema.NullOr(Schema.Array(Schema.String)),
    limits: Schema.Record({ key: Schema.String, value: Schema.Union(Schema.Number, Schema.BigInt) })
  })
)
const encodeSettings = Schema.encodeSync(Settings)
const decodeSettings = Schema.decodeSync(Settings)

/** The `settings` column of a project. */
export const settingsOf = ({ allowedPrograms, gasLimits, limits, usageLimit }: Project): string =>
  encodeSettings({ allowedPrograms, gasLimits, limits: { ...limits }, usageLimit })

/** The project of a row. */
export const projectOfRow = (row: ProjectRow): Project => {
  const { limits, ...settings } = decodeSettings(row.settings)
  return {
    projectId: row.project_id,
    organizationId: row.organization_id,
    organizationSlug: row.organization_slug,
    ...settings,
    limits
  }
}

/** The project of this id. */
export const findProject = (
  sql: SqlClient,
  projectId: string
): Effect.Effect<Option.Option<Project>, SqlError> =>
  Effect.map(
    sql<ProjectRow>`
      SELECT project_id, organization_id, organization_slug, settings
      FROM projects JOIN organizations USING (organization_id)
      WHERE project_id = ${projectId}`,
    ([row]) => Option.map(Option.fromNullable(row), projectOfRow)
  )
