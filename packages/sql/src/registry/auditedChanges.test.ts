/** What operators change is kept with its entry in the audit trail, or not at all: when the entry fails, when many change at once, after kill -9. */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { SqlClient } from "@effect/sql/SqlClient"
import {
  type AuditedStores,
  AuditTrail,
  DataProxies,
  type Entropy,
  type Freshness,
  Keys,
  layerAuditedStores,
  ProgramNames,
  ProgramStore,
  Provisioning
} from "@sibyl/core"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { spawnBusyService } from "../fixtures/spawnBusyService.ts"
import { describeDatabases, layerTestStores, type TestDatabase } from "../fixtures/testDatabases.ts"
import { layerTestStoresAt } from "../fixtures/testStores.ts"
import type { SqlStores } from "../layerSqlStores.ts"

type Stores = SqlStores | AuditedStores | SqlClient | Entropy | Freshness

const onAudited = <A, E>(database: TestDatabase, work: Effect.Effect<A, E, Stores>): Promise<A> =>
  Effect.runPromise(Effect.provide(work, Layer.provideMerge(layerAuditedStores("ada"), layerTestStores(database))))

const rowsIn = (table: string) =>
  Effect.flatMap(SqlClient, (sql) =>
    Effect.map(sql`SELECT * FROM ${sql(table)}`, (rows) => rows.map((row) => JSON.stringify(row)).toSorted())
  )

const changed = ["organizations", "projects", "accounts", "journal", "api_keys", "programs", "program_names", "data_proxies"]

/** Everything that operators change. */
const everything = Effect.forEach(changed, rowsIn)

const publicKey = secp256k1.Point.BASE.toHex(true)

/** Every change there is, of a project with a key, a program with a name and a data proxy. */
const changes = Effect.gen(function* () {
  const [provisioning, keys, names, programs, proxies] = yield* Effect.all([Provisioning, Keys, ProgramNames, ProgramStore, DataProxies])
  const { projectId } = yield* provisioning.createProject({ organizationSlug: "acme" })
  const { apiKeyId } = yield* keys.issue(projectId)
  const programId = yield* programs.put(new Uint8Array(3))
  yield* names.give({ name: "v1.prices.acme", owner: null, programId })
  yield* proxies.register({ publicKey, name: "rates", feeCredits: 2n, active: true })
  return {
    organization: provisioning.createOrganization({ organizationSlug: "other", name: "Other" }),
    project: provisioning.createProject({ organizationSlug: "third" }),
    settings: provisioning.updateProject(projectId, { gasLimits: { exec: 5n, tally: 7n } }),
    credits: provisioning.grant(projectId, 10n),
    "a new key": keys.issue(projectId, { name: "backend" }),
    "a rotated key": keys.rotate(apiKeyId, { overlapMs: 5 }),
    "a revoked key": keys.revoke(apiKeyId),
    program: programs.put(new Uint8Array(4)),
    name: names.give({ name: "v2.prices.acme", owner: null, programId }),
    "a removed name": names.take(null, "v1.prices.acme"),
    proxy: proxies.register({ publicKey, name: "other rates", feeCredits: 3n, active: false }),
    "a removed proxy": proxies.remove(publicKey)
  }
})

describeDatabases("a change with its entry", (database) => {
  it("is not made if the entry cannot be added, and is made once it can", () =>
    onAudited(
      database,
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const trail = yield* AuditTrail
        const made = yield* changes
        const before = yield* everything
        const entries = (yield* trail.after(0, 100)).length
        yield* sql`ALTER TABLE audit_trail RENAME TO audit_elsewhere`
        for (const [what, change] of Object.entries(made)) {
          expect((yield* Effect.exit(change as Effect.Effect<unknown, unknown>))._tag, what).toBe("Failure")
          expect(yield* everything, what).toEqual(before)
        }
        yield* sql`ALTER TABLE audit_elsewhere RENAME TO audit_trail`
        const { "a rotated key": rotated, "a revoked key": _revoked, ...others } = made
        yield* Effect.forEach([rotated, ...Object.values(others)], (change) => change as Effect.Effect<unknown, unknown>)
        expect((yield* trail.after(0, 100)).length).toBe(entries + Object.keys(made).length - 1)
      })
    ))

  it("is kept with it when many change at once, and a refusal stays a refusal", () =>
    onAudited(
      database,
      Effect.gen(function* () {
        const provisioning = yield* Provisioning
        const trail = yield* AuditTrail
        const projects = yield* Effect.forEach(["one", "two", "three"], (organizationSlug) =>
          provisioning.createProject({ organizationSlug })
        )
        const grants = projects.flatMap(({ projectId }) => Array.from({ length: 8 }, () => provisioning.grant(projectId, 1n)))
        const refused = Array.from({ length: 8 }, () => Effect.flip(provisioning.grant("nobody", 1n)))
        const [balances, refusals] = yield* Effect.all(
          [Effect.all(grants, { concurrency: "unbounded" }), Effect.all(refused, { concurrency: "unbounded" })],
          { concurrency: "unbounded" }
        )
        expect(balances.filter(({ granted }) => granted === 8n).length).toBeGreaterThanOrEqual(projects.length)
        expect(new Set(refusals.map(({ _tag }) => _tag))).toEqual(new Set(["ProjectNotFound"]))
        const actions = (yield* trail.after(0, 100)).map(({ action }) => action)
        expect(actions).toEqual([...projects.map(() => "project.create"), ...grants.map(() => "credits.grant")])
      })
    ))

  it.each([1, 12])("is there with it after kill -9, when %i rounds were done", (rounds) =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const place = yield* database.createMigrated
          const busy = yield* Effect.promise(() => spawnBusyService(place, "operate"))
          yield* Effect.addFinalizer(() => Effect.promise(busy.kill))
          yield* Effect.promise(() => busy.untilLines(rounds))
          yield* Effect.promise(busy.kill)
          const found = Effect.gen(function* () {
            const sql = yield* SqlClient
            const ids = (rows: ReadonlyArray<{ readonly id: string }>) => rows.map(({ id }) => id).toSorted()
            const issued = ids(yield* sql<{ id: string }>`SELECT api_key_id AS id FROM api_keys`)
            const revoked = ids(yield* sql<{ id: string }>`SELECT api_key_id AS id FROM api_keys WHERE revoked_at_ms IS NOT NULL`)
            const granted = ids(yield* sql<{ id: string }>`SELECT project_id AS id FROM journal WHERE kind = 'grant'`)
            const entries = yield* (yield* AuditTrail).after(0, 100_000)
            const subjects = (action: string) => ids(entries.filter((entry) => entry.action === action).map(({ subject: id }) => ({ id })))
            return {
              changes: { issued, revoked, granted },
              entries: { issued: subjects("key.issue"), revoked: subjects("key.revoke"), granted: subjects("credits.grant") }
            }
          })
          const { changes: kept, entries } = yield* Effect.provide(found, layerTestStoresAt(place))
          expect(entries).toEqual(kept)
          expect(kept.revoked).toEqual(expect.arrayContaining([...busy.lines]))
        })
      )
    )
  )
})
