/** What is remembered of a key that has opened saves hashing it, and opens nothing that the database would not open now. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Directory, Keys, Provisioning } from "@sibyl/core"
import { Effect, Either } from "effect"
import { expect, it } from "vitest"
import { describeDatabases, layerTestStores } from "../fixtures/testDatabases.ts"

describeDatabases("a key that has opened", (database) => {
  it("is refused when its hash has changed, and when it is revoked", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const { authenticate } = yield* Directory
      const { projectId } = yield* (yield* Provisioning).createProject({ organizationSlug: "acme" })
      const keys = yield* Keys
      const { apiKeyId, key } = yield* keys.issue(projectId)
      const opens = Effect.map(Effect.either(authenticate(key)), Either.isRight)
      expect([yield* opens, yield* opens]).toEqual([true, true])
      const hash = (yield* sql<{ readonly hash: string }>`SELECT hash FROM api_keys WHERE api_key_id = ${apiKeyId}`)[0]?.hash ?? ""
      yield* sql`UPDATE api_keys SET hash = ${"00".repeat(32)} WHERE api_key_id = ${apiKeyId}`
      expect(yield* opens).toBe(false)
      yield* sql`UPDATE api_keys SET hash = ${hash} WHERE api_key_id = ${apiKeyId}`
      expect(yield* opens).toBe(true)
      yield* keys.revoke(apiKeyId)
      expect(yield* opens).toBe(false)
    }).pipe(Effect.provide(layerTestStores(database)), Effect.runPromise))
})
