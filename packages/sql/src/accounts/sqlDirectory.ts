/** Keys and projects as the service reads them. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Directory, keyIdFor, keyOpens, keyRefused, keyStateAt, Network, type Principal, projectKeysOf, type StoredKey } from "@sibyl/core"
import { RecentMap } from "@sibyl/core/internal"
import { Clock, Effect, Exit, Layer, Redacted, type Scope } from "effect"
import { keyUses } from "./keyUses.ts"
import { makeGroupCommit } from "../database/groupCommit.ts"
import { orSqlDefect } from "../database/sqlDefect.ts"
import { keysOf, momentOf } from "./storedKey.ts"
import { findProject, projectOfRow, type ProjectRow } from "./storedProject.ts"

interface KeyRow extends ProjectRow {
  readonly api_key_id: string
  readonly hash: string
  readonly expires_at_ms: number | string | null
  readonly revoked_at_ms: number | string | null
  readonly last_used_at_ms: number | string | null
}

const storedKeyOf = (row: KeyRow): StoredKey => ({
  apiKeyId: row.api_key_id,
  projectId: row.project_id,
  hash: row.hash,
  expiresAtMs: momentOf(row.expires_at_ms),
  revokedAtMs: momentOf(row.revoked_at_ms),
  lastUsedAtMs: momentOf(row.last_used_at_ms)
})

const principalOf = (row: KeyRow): Principal => ({
  apiKeyId: row.api_key_id,
  apiKeyExpiresAtMs: momentOf(row.expires_at_ms),
  project: projectOfRow(row)
})

const rowsOf = (sql: SqlClient, apiKeyIds: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<KeyRow>> =>
  sql<KeyRow>`
    SELECT api_key_id, hash, expires_at_ms, revoked_at_ms, last_used_at_ms,
      project_id, organization_id, organization_slug, settings
    FROM api_keys JOIN projects USING (project_id) JOIN organizations USING (organization_id)
    WHERE ${sql.in("api_key_id", apiKeyIds)}`.pipe(orSqlDefect("looking a key up"))

/** How many keys are looked up at once. */
const mostKeys = 256

/** The row of a key as it is now, in one query for all that ask in a turn of the event loop, or while such a query is under way. */
const sharedLookup = (sql: SqlClient): Effect.Effect<(apiKeyId: string) => Effect.Effect<KeyRow | undefined>, never, Scope.Scope> =>
  makeGroupCommit<string, KeyRow | undefined, never>({
    mostItems: mostKeys,
    commit: (apiKeyIds) =>
      Effect.map(rowsOf(sql, [...new Set(apiKeyIds)]), (rows) => {
        const byId = new Map(rows.map((row) => [row.api_key_id, row]))
        return apiKeyIds.map((apiKeyId) => Exit.succeed(byId.get(apiKeyId)))
      })
  })

/** On SQLite, which is read on this thread and remembers what it was asked, alone. */
const lookupOf = (sql: SqlClient) =>
  sql.onDialectOrElse({
    pg: () => sharedLookup(sql),
    orElse: () => Effect.succeed((apiKeyId: string) => Effect.map(rowsOf(sql, [apiKeyId]), ([row]) => row))
  })

/** A key that has opened: the id in it and the hash of it, each of which takes a hash function. Whether it still opens is always asked. */
type OpenedKey = Pick<StoredKey, "apiKeyId" | "hash">

/** How many are remembered. */
const openedKeys = 4_096

/** The directory of the network. */
export const layerSqlDirectory: Layer.Layer<Directory, never, SqlClient | Network> = Layer.scoped(
  Directory,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const network = yield* Network
    const noteUse = yield* keyUses(sql)
    const find = yield* lookupOf(sql)
    const opened = new RecentMap<OpenedKey>(openedKeys)
    return {
      authenticate: (redacted) =>
        Effect.gen(function* () {
          const key = Redacted.value(redacted)
          const known = opened.get(key)
          const apiKeyId = known?.apiKeyId ?? keyIdFor(network.name, key)
          const row = apiKeyId === undefined ? undefined : yield* find(apiKeyId)
          const stored = row === undefined ? undefined : storedKeyOf(row)
          const nowMs = yield* Clock.currentTimeMillis
          const opens =
            known !== undefined && known.hash === stored?.hash ? keyStateAt(stored, nowMs) === "active" : keyOpens(key, stored, nowMs)
          if (!opens || row === undefined || stored === undefined) return yield* Effect.fail(keyRefused())
          if (known === undefined) opened.set(key, { apiKeyId: stored.apiKeyId, hash: stored.hash })
          noteUse(stored, nowMs)
          return principalOf(row)
        }),
      owner: (apiKeyId) =>
        Effect.gen(function* () {
          const row = yield* find(apiKeyId)
          const nowMs = yield* Clock.currentTimeMillis
          if (row === undefined || keyStateAt(storedKeyOf(row), nowMs) !== "active") return yield* Effect.fail(keyRefused())
          return principalOf(row)
        }),
      keys: (projectId) =>
        Effect.zipWith(keysOf(sql, projectId), Clock.currentTimeMillis, projectKeysOf).pipe(orSqlDefect("listing a project's keys")),
      project: (projectId) => orSqlDefect("reading a project")(findProject(sql, projectId))
    }
  })
)
