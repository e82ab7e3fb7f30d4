/** Projects, keys and credits as an operator sets them up. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import {
  apiKeyEntropyBytes,
  type Balance,
  Entropy,
  makeApiKey,
  type NewProject,
  type Project,
  projectOf,
  Provisioning,
  StoreDefect,
  uuidOf
} from "@sibyl/core"
import { Clock, Effect, Layer, Option, Redacted } from "effect"
import { closeBook, createAccount, enter } from "./book.ts"
import { openBookAt } from "./expiredHolds.ts"
import { currentBalance } from "./sqlLedger.ts"
import { findProject, settingsOf } from "./storedProject.ts"
import { transaction } from "./transaction.ts"

/** The organization of this slug, made with the id `candidate` when it is the slug's first project. */
const organizationIdOf = (sql: SqlClient, slug: string, candidate: string): Effect.Effect<string, SqlError> =>
  sql`
    INSERT INTO organizations (organization_id, organization_slug) VALUES (${candidate}, ${slug})
    ON CONFLICT (organization_slug) DO NOTHING`.pipe(
    Effect.zipRight(sql<{ readonly organization_id: string }>`
      SELECT organization_id FROM organizations WHERE organization_slug = ${slug}`),
    Effect.map(([row]) => row?.organization_id ?? candidate)
  )

const createProject = (sql: SqlClient, wanted: NewProject, entropy: Uint8Array): Effect.Effect<Project, SqlError> =>
  Effect.gen(function* () {
    const candidate = uuidOf(entropy.subarray(0, 16))
    const organizationId = yield* organizationIdOf(sql, wanted.organizationSlug, candidate)
    const project = projectOf({ projectId: uuidOf(entropy.subarray(16)), organizationId }, wanted)
    yield* sql`
      INSERT INTO projects (project_id, organization_id, settings, created_at_ms)
      VALUES (${project.projectId}, ${organizationId}, ${settingsOf(project)}, ${yield* Clock.currentTimeMillis})`
    yield* createAccount(sql, project.projectId)
    return project
  })

/** The project of this id; that there is none is the caller's defect. */
const existingProject = (sql: SqlClient, projectId: string): Effect.Effect<Project, SqlError> =>
  Effect.flatMap(
    findProject(sql, projectId),
    Option.match({
      onNone: () => Effect.die(new StoreDefect(`project ${projectId} does not exist`)),
      onSome: Effect.succeed
    })
  )

const insertKey = (
  sql: SqlClient,
  projectId: string,
  key: { readonly apiKeyId: string; readonly hash: string },
  expiresAtMs: number | null
): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    yield* existingProject(sql, projectId)
    yield* sql`
      INSERT INTO api_keys (api_key_id, project_id, hash, created_at_ms, expires_at_ms)
      VALUES (${key.apiKeyId}, ${projectId}, ${key.hash}, ${yield* Clock.currentTimeMillis}, ${expiresAtMs})`
  })

const revokeKey = (sql: SqlClient, apiKeyId: string): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const changed = yield* sql`
      UPDATE api_keys SET revoked_at_ms = COALESCE(revoked_at_ms, ${yield* Clock.currentTimeMillis})
      WHERE api_key_id = ${apiKeyId} RETURNING api_key_id`
    if (changed.length === 0) return yield* Effect.die(new StoreDefect(`key ${apiKeyId} does not exist`))
  })

const grant = (sql: SqlClient, projectId: string, credits: bigint): Effect.Effect<Balance, SqlError> =>
  Effect.gen(function* () {
    if (credits < 0n) return yield* Effect.die(new StoreDefect(`a grant of ${credits} credits`))
    const project = yield* existingProject(sql, projectId)
    const nowMs = yield* Clock.currentTimeMillis
    const book = yield* openBookAt(sql, projectId, nowMs)
    const account = { ...book.account, granted: book.account.granted + credits }
    yield* closeBook(sql, enter(book, { kind: "grant", credits, holdId: null }, account), nowMs)
    return yield* currentBalance(sql, project)
  })

/** Provisioning for one network. */
export const layerSqlProvisioning = (network: string): Layer.Layer<Provisioning, never, SqlClient | Entropy> =>
  Layer.effect(
    Provisioning,
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const entropy = yield* Entropy
      return {
        createProject: (wanted) =>
          Effect.flatMap(entropy.bytes(32), (bytes) =>
            transaction(sql, "creating a project", createProject(sql, wanted, bytes))
          ),
        issueKey: (projectId, options) =>
          Effect.gen(function* () {
            const { apiKeyId, hash, key } = makeApiKey(network, yield* entropy.bytes(apiKeyEntropyBytes))
            const inserted = insertKey(sql, projectId, { apiKeyId, hash }, options?.expiresAtMs ?? null)
            yield* transaction(sql, "issuing a key", inserted)
            return { apiKeyId, key: Redacted.make(key) }
          }),
        revokeKey: (apiKeyId) => transaction(sql, "revoking a key", revokeKey(sql, apiKeyId)),
        grant: (projectId, credits) => transaction(sql, "granting credits", grant(sql, projectId, credits))
      }
    })
  )
