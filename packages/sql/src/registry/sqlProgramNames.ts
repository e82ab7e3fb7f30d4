/** Program names: every change is a row, the last one of a name applies. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import {
  byNameAndOwner,
  checkedProgramName,
  type NameChange,
  type NamedProgram,
  type NameOwner,
  type ProgramNameInput,
  ProgramNames
} from "@sibyl/core"
import { Clock, Effect, Layer, Option } from "effect"
import { readable } from "../database/refusable.ts"
import { orSqlDefect } from "../database/sqlDefect.ts"
import { existingProject } from "../accounts/storedProject.ts"

interface ChangeRow {
  readonly owner: string
  readonly name: string
  readonly change_number: number | string
  readonly program_id: string | null
  readonly since_ms: number | string
}

/** The stored form of an owner. */
const ownerText = (owner: NameOwner): string => owner ?? ""

const changeOf = ({ name, owner, program_id: programId, since_ms: sinceMs }: ChangeRow): NameChange => ({
  name,
  owner: owner === "" ? null : owner,
  programId,
  sinceMs: Number(sinceMs)
})

const meaningOf = (row: ChangeRow | undefined): NamedProgram | undefined => {
  if (row === undefined) return undefined
  const { programId, ...rest } = changeOf(row)
  return programId === null ? undefined : { ...rest, programId }
}

const lastChange = (sql: SqlClient, owner: NameOwner, name: string) =>
  Effect.map(
    sql<ChangeRow>`
      SELECT owner, name, change_number, program_id, since_ms FROM program_names
      WHERE owner = ${ownerText(owner)} AND name = ${name} ORDER BY change_number DESC LIMIT 1`,
    ([row]) => row
  )

/** Adds a change after `before`; false if another caller did so first. */
const added = (sql: SqlClient, { name, owner, programId, sinceMs }: NameChange, before: ChangeRow | undefined) =>
  Effect.map(
    sql`
      INSERT INTO program_names (owner, name, change_number, program_id, since_ms)
      VALUES (${ownerText(owner)}, ${name}, ${Number(before?.change_number ?? 0) + 1}, ${programId}, ${sinceMs})
      ON CONFLICT (owner, name, change_number) DO NOTHING RETURNING change_number`,
    (rows) => rows.length > 0
  )

/** If two operators change one name concurrently, the later one reads it again and retries. */
const give = (sql: SqlClient, input: ProgramNameInput): Effect.Effect<NamedProgram, SqlError> =>
  Effect.gen(function* () {
    const before = yield* lastChange(sql, input.owner, input.name)
    const meaning = meaningOf(before)
    if (meaning?.programId === input.programId) return meaning
    const named = { ...input, sinceMs: yield* Clock.currentTimeMillis }
    return (yield* added(sql, named, before)) ? named : yield* give(sql, input)
  })

const take = (sql: SqlClient, owner: NameOwner, name: string): Effect.Effect<boolean, SqlError> =>
  Effect.gen(function* () {
    const before = yield* lastChange(sql, owner, name)
    if (meaningOf(before) === undefined) return false
    const change = { name, owner, programId: null, sinceMs: yield* Clock.currentTimeMillis }
    return (yield* added(sql, change, before)) || (yield* take(sql, owner, name))
  })

/** The last change of every name that `wanted` selects. */
const inForce = (sql: SqlClient, wanted: Fragment) =>
  Effect.map(
    sql<ChangeRow>`
      SELECT owner, name, change_number, program_id, since_ms FROM program_names named
      WHERE ${wanted} AND change_number = (
        SELECT MAX(change_number) FROM program_names WHERE owner = named.owner AND name = named.name
      )`,
    (rows) => rows.map(meaningOf).filter((named) => named !== undefined)
  )

/** The names. */
export const layerSqlProgramNames: Layer.Layer<ProgramNames, never, SqlClient> = Layer.effect(
  ProgramNames,
  Effect.map(SqlClient, (sql) => ({
    find: (projectId, name) =>
      inForce(sql, sql`name = ${name} AND owner IN (${projectId}, '')`).pipe(
        Effect.map((named) => {
          const meaning = named.find(({ owner }) => owner !== null) ?? named[0]
          return Option.map(Option.fromNullable(meaning), ({ programId }) => programId)
        }),
        orSqlDefect("looking a name up")
      ),
    give: (wanted) =>
      Effect.gen(function* () {
        const input = yield* checkedProgramName(wanted)
        if (input.owner !== null) yield* readable("reading a project", existingProject(sql, input.owner))
        return yield* orSqlDefect("naming a program")(give(sql, input))
      }),
    take: (owner, name) => orSqlDefect("removing a name")(take(sql, owner, name)),
    list: (projectId) =>
      inForce(sql, projectId === undefined ? sql`owner IS NOT NULL` : sql`owner IN (${projectId}, '')`).pipe(
        Effect.map((named) => named.sort(byNameAndOwner)),
        orSqlDefect("listing the names")
      ),
    history: (name) =>
      sql<ChangeRow>`
        SELECT owner, name, change_number, program_id, since_ms FROM program_names
        WHERE ${name === undefined ? sql`name IS NOT NULL` : sql`name = ${name}`} ORDER BY change_number`.pipe(
        Effect.map((rows) => rows.map(changeOf).sort(byNameAndOwner)),
        orSqlDefect("reading the history of names")
      )
  }))
)
