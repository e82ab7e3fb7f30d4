/** Writes when keys were last used, in the background: authentication neither waits for it nor fails because of it. */
import type { SqlClient } from "@effect/sql/SqlClient"
import { lastUseIsDue, type StoredKey } from "@sibyl/core"
import { Effect, type Scope } from "effect"
import { runProcedure } from "../database/procedure.ts"
import { orSqlDefect } from "../database/sqlDefect.ts"
import { type KeyUses, keyUsesProcedure } from "./keyUsesProcedure.ts"
import { logFailed } from "@sibyl/core/internal"

/** Uses within this time share a transaction. */
const gatherMs = 250

/** Maximum rows per transaction, so that it locks the database only briefly. */
const maxRowsAtOnce = 100

/** Two services may write the same keys at once: sorting the ids prevents deadlocks. */
const write = (sql: SqlClient, uses: KeyUses) =>
  orSqlDefect("writing the last use of keys")(runProcedure(sql, keyUsesProcedure, () => uses, false))

/**
 * Records a use of a key, to be written soon, at most about once a minute per key. Pending uses are written when the scope closes. A use
 * that the database refuses is retried with a use a minute later.
 */
export const keyUses = (sql: SqlClient): Effect.Effect<(key: StoredKey, nowMs: number) => void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const waiting = new Map<string, number>()
    /** Uses that are not written yet. */
    const noted = new Map<string, number>()
    const some = yield* Effect.makeLatch(false)

    const writeSome = Effect.suspend(() => {
      const uses = [...waiting].slice(0, maxRowsAtOnce).toSorted(([left], [right]) => (left < right ? -1 : 1))
      for (const [apiKeyId] of uses) waiting.delete(apiKeyId)
      const forget = Effect.sync(() => {
        for (const [apiKeyId, usedAtMs] of uses) if (noted.get(apiKeyId) === usedAtMs) noted.delete(apiKeyId)
      })
      return Effect.zipRight(write(sql, uses), forget).pipe(
        Effect.catchAllCause((cause) => logFailed("the last use of keys was not written", cause, { part: "storage" }))
      )
    })
    const writeAll = Effect.whileLoop({ while: () => waiting.size > 0, body: () => writeSome, step: () => undefined })

    yield* Effect.addFinalizer(() => writeAll)
    yield* some.await.pipe(
      Effect.zipRight(Effect.sleep(gatherMs)),
      Effect.zipRight(some.close),
      Effect.zipRight(writeAll),
      Effect.forever,
      Effect.forkScoped
    )
    return ({ apiKeyId, lastUsedAtMs }, nowMs) => {
      if (!lastUseIsDue(lastUsedAtMs, nowMs) || !lastUseIsDue(noted.get(apiKeyId) ?? null, nowMs)) return
      noted.set(apiKeyId, nowMs)
      waiting.set(apiKeyId, nowMs)
      some.unsafeOpen()
    }
  })
