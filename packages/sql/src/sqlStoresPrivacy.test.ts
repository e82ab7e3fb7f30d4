/** What a database reveals, which network it belongs to, and what clients see if it fails. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Directory, Entropy, entropyOf, Keys, Ledger, Network, Provisioning, ResultStore, Signer } from "@sibyl/core"
import { Cause, Effect, Exit, Layer, Redacted } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { layerTestStoresAt } from "./fixtures/testStores.ts"
import { temporaryDatabase } from "./fixtures/temporaryDatabase.ts"
import { layerSqlStores } from "./layerSqlStores.ts"
import { layerSqlSigner, signingSecret } from "./sqlSigner.ts"
import { SqlDefect } from "./database/sqlDefect.ts"
import { layerSqlite } from "./sqlite/layerSqlite.ts"

const defectsOf = <A, E>(exit: Exit.Exit<A, E>): ReadonlyArray<unknown> => (Exit.isFailure(exit) ? [...Cause.defects(exit.cause)] : [])

describe("API keys", () => {
  it("are in no file of the database, only their hashes", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const filename = yield* temporaryDatabase
          const issue = Effect.gen(function* () {
            const provisioning = yield* Provisioning
            const { projectId } = yield* provisioning.createProject({ organizationSlug: "acme" })
            const issued = yield* (yield* Keys).issue(projectId)
            yield* Effect.orDie((yield* Directory).authenticate(issued.key))
            const bytes = readdirSync(dirname(filename))
              .map((name) => readFileSync(join(dirname(filename), name), "latin1"))
              .join("")
            const secret = Redacted.value(issued.key).split("_").at(-1) ?? ""
            expect(secret).toHaveLength(56)
            expect(bytes).toContain(issued.apiKeyId)
            expect(bytes).not.toContain(secret.slice(0, 48))
            expect(bytes).not.toContain(secret.slice(8, 24))
            expect(JSON.stringify(issued)).not.toContain(secret)
          })
          yield* Effect.provide(issue, layerTestStoresAt(filename))
        })
      )
    ))
})

describe("a database", () => {
  it("belongs to one network", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const client = yield* Layer.build(layerSqlite({ filename: yield* temporaryDatabase }))
          const open = (name: string) => {
            const needed = Layer.mergeAll(Layer.succeedContext(client), Entropy.layer, Network.layer({ name, chainId: "any" }))
            return Layer.build(Layer.provide(layerSqlStores, needed))
          }
          yield* open("testnet")
          yield* open("testnet")
          const defects = defectsOf(yield* Effect.exit(open("mainnet")))
          expect(defects).toMatchObject([{ name: "SqlDefect" }])
          expect(String(defects[0])).toMatch(/testnet.*mainnet/)
        })
      )
    ))

  it("that fails is an internal defect with its cause, never an error for clients", () =>
    Effect.runPromise(
      Effect.provide(
        Effect.gen(function* () {
          const sql = yield* SqlClient
          const project = yield* (yield* Provisioning).createProject({ organizationSlug: "acme" })
          const { key } = yield* (yield* Keys).issue(project.projectId)
          yield* sql`DROP TABLE reports`
          yield* sql`DROP TABLE usage_periods`
          yield* sql`ALTER TABLE api_keys DROP COLUMN hash`
          yield* sql`ALTER TABLE holds RENAME TO lost`
          const calls = [
            (yield* ResultStore).find(project.projectId, "r"),
            (yield* Ledger).balance(project),
            (yield* Ledger).hold(project, 1n, 1),
            (yield* Directory).authenticate(key)
          ]
          for (const call of calls as ReadonlyArray<Effect.Effect<unknown, unknown>>) {
            const exit = yield* Effect.exit(call)
            expect(Exit.isFailure(exit) && Cause.failures(exit.cause).length).toBe(0)
            const [defect] = defectsOf(exit)
            expect(defect).toBeInstanceOf(SqlDefect)
            expect((defect as SqlDefect).cause).toMatchObject({ _tag: "SqlError" })
          }
        }),
        layerTestStoresAt(":memory:")
      )
    ))
})

describe("the signing key", () => {
  const groupOrder = Uint8Array.from("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141".match(/../g) ?? [], (digits) =>
    Number.parseInt(digits, 16)
  )
  const drawsOf = (draws: ReadonlyArray<Uint8Array>) => {
    const left = [...draws]
    return Layer.succeed(
      Entropy,
      entropyOf(() => left.shift() ?? new Uint8Array(32))
    )
  }

  it("is never zero or beyond the group order, and the signer signs with it", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const one = new Uint8Array(32).fill(0)
          one[31] = 1
          const database = yield* Layer.build(layerSqlite({ filename: ":memory:" }))
          const draws = drawsOf([new Uint8Array(32), groupOrder, new Uint8Array(32).fill(255), one])
          const secret = yield* Effect.provide(signingSecret, Layer.merge(Layer.succeedContext(database), draws))
          expect(Redacted.value(secret)).toEqual(one)
          expect(JSON.stringify(secret)).toBe('"<redacted>"')
          const signer = Layer.provide(layerSqlSigner(), Layer.merge(Layer.succeedContext(database), Entropy.layer))
          // The generator of secp256k1 is the public key of the secret 1 (SEC 2, section 2.4.1).
          expect(
            yield* Effect.provide(
              Effect.map(Signer, ({ publicKey }) => publicKey),
              signer
            )
          ).toBe("0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798")
        })
      )
    ))

  it("is generated once, even for concurrent first requests", () =>
    Effect.runPromise(
      Effect.provide(
        Effect.gen(function* () {
          const secrets = yield* Effect.all(
            Array.from({ length: 20 }, () => signingSecret),
            { concurrency: "unbounded" }
          )
          expect(new Set(secrets.map((secret) => Redacted.value(secret).join())).size).toBe(1)
        }),
        layerTestStoresAt(":memory:")
      )
    ))
})
